import type { Corpus } from './corpus.ts';
import { MODES, type ModeName } from './modes.ts';
import { mutateMessage } from './mutate-message.ts';
import { mutateText } from './mutate-text.ts';
import { createRandom } from './random.ts';

/** Input for a decoder, and how it is asked. */
export type FuzzCase = { readonly mode: ModeName } & (
  | { readonly form: 'message'; readonly input: Uint8Array }
  | { readonly form: 'text'; readonly input: string }
);

const MODE_NAMES = Object.keys(MODES) as ModeName[];

/** Makes one case; seed and number decide all about it. */
export function makeCase(corpus: Corpus, seed: number, number: number): FuzzCase {
  const random = createRandom(seed, number);
  const mode = random.pick(MODE_NAMES);
  return random.oneIn(2)
    ? { mode, form: 'text', input: mutateText(corpus.text, random) }
    : { mode, form: 'message', input: mutateMessage(corpus.messages, random) };
}
