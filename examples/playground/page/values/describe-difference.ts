import { type Difference, findDifferences } from '../../../../tools/difference/find-difference.ts';

/** More are not listed: what they have in common is plain by then. */
export const MOST_DIFFERENCES = 6;

/** Where what became of a part says more than what it was. */
const SENTENCES: Readonly<Record<string, string>> = {
  missing: 'is missing',
  added: 'was added',
  'another object': 'is another object now, where it was the same one twice',
  'another order': 'has its properties in another order',
  'other bytes': 'has other bytes',
  'at another offset': 'begins elsewhere in its buffer',
};

/** Names what arrived differently, a sentence for each, such as `a Map(1) became {}`; none where nothing did. */
export function describeDifference(arrived: unknown, sent: unknown): string[] {
  const found = findDifferences(arrived, sent, { symbols: false }, MOST_DIFFERENCES + 1);
  const sentences = found.slice(0, MOST_DIFFERENCES).map(sentenceOf);
  return found.length > MOST_DIFFERENCES ? [...sentences, 'and more'] : sentences;
}

function sentenceOf({ path, expected, actual }: Difference): string {
  // The value itself needs no name.
  const where = path === '$' ? '' : path.replace(/^\$\.?/, '');
  if (actual === 'added' && path.endsWith(']')) return `the hole at ${where} was filled`;
  if (Object.hasOwn(SENTENCES, actual)) return `${where || 'It'} ${SENTENCES[actual]}`;
  return `${where ? `${where}: ` : ''}${expected} became ${actual}`;
}
