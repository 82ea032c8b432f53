import { subjectName } from '../log/names.ts';
import type { Series } from './theme.ts';

/** In the order in which keys name them. */
export const SERIES: readonly Series[] = ['lumenize', 'capnweb', 'raw', 'other'];

/** Every kind of subject has a shape of its own too, for who sees no colours. */
export const SHAPES: Readonly<Record<Series, string>> = {
  lumenize: 'circle',
  capnweb: 'square',
  raw: 'triangle-up',
  other: 'diamond',
};

/** And a line of its own. */
export const DASHES: Readonly<Record<Series, readonly number[]>> = {
  lumenize: [1, 0],
  capnweb: [7, 3],
  raw: [2, 3],
  other: [1, 4],
};

/** Returns what a subject, a baseline or a codec is drawn as. */
export function seriesOf(subject: string): Series {
  if (subject.startsWith('lumenize')) return 'lumenize';
  if (subject.startsWith('capnweb')) return 'capnweb';
  return subject === 'raw-one-frame' || !/^(raw|native|JSON)/.test(subject) ? 'other' : 'raw';
}

/** Says whether a subject is another one without the compression of its sockets, beside which it is drawn. */
export function isPlain(subject: string): boolean {
  return subject.endsWith('-plain');
}

/** Returns what a row calls a subject, below the row of the one that it is a variant of; the title says what it is over. */
export function rowName(subject: string): string {
  return isPlain(subject) ? '– uncompressed' : subjectName(subject).replace(/ over .*/, '');
}
