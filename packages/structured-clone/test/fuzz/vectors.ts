import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FuzzCase } from './cases.ts';
import type { Failure } from './judge.ts';
import type { ModeName } from './modes.ts';

/** Where cases that failed once are kept, to be tried for ever. */
export const VECTORS = fileURLToPath(new URL('../vectors', import.meta.url).href);

/** A case that failed, how it was found, and what it did. */
export interface Vector {
  readonly form: FuzzCase['form'];
  readonly mode: ModeName;
  /** Text, or bytes in hexadecimal. */
  readonly input: string;
  readonly failure: Failure;
  readonly seed: number;
  readonly number: number;
}

/** Keeps a case and returns the name of its file. */
export function keepVector(fuzzCase: FuzzCase, failure: Failure, seed: number, number: number): string {
  const { form, mode } = fuzzCase;
  const input = fuzzCase.form === 'text' ? fuzzCase.input : Buffer.from(fuzzCase.input).toString('hex');
  const vector: Vector = { form, mode, input, failure, seed, number };
  const hash = createHash('sha256').update(`${form} ${mode} ${input}`).digest('hex').slice(0, 8);
  const file = `${failure.kind.replaceAll(' ', '-')}-${hash}.json`;
  mkdirSync(VECTORS, { recursive: true });
  // Lone surrogates become escapes, so that the file is text like any other.
  writeFileSync(join(VECTORS, file), `${JSON.stringify(vector, undefined, 2)}\n`);
  return file;
}

export function readVectors(): { readonly file: string; readonly fuzzCase: FuzzCase }[] {
  const files = (existsSync(VECTORS) ? readdirSync(VECTORS) : []).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => {
    const { form, mode, input } = JSON.parse(readFileSync(join(VECTORS, file), 'utf8')) as Vector;
    if (form === 'text') return { file, fuzzCase: { form, mode, input } };
    return { file, fuzzCase: { form, mode, input: Uint8Array.from(Buffer.from(input, 'hex')) } };
  });
}
