import type { Difference, DifferenceOptions } from '../difference/find-difference.ts';

/** One value that a row is tried with. */
export interface Sample extends DifferenceOptions {
  /** Tells it from the row's other samples, where there are several. */
  readonly label?: string;
  /** Makes the value, the same each time: a body can be read only once. */
  make(): unknown;
  /** Compares where values have to be read asynchronously. @default `findDifference` */
  readonly compare?: (actual: unknown, expected: unknown) => Promise<Difference | undefined>;
  /** Whether codecs are to be told of the class `Point` first, each in its way. */
  readonly registered?: boolean;
}

/** A row of the table: a type, or something about one that can get lost. */
export interface Row {
  readonly name: string;
  readonly samples: readonly Sample[];
  /** What `lumenize` is meant to do with the values. */
  readonly intent: 'by value' | 'refused' | 'its own way';
  /** Why `lumenize` goes its own way. */
  readonly why?: string;
}

/** Rows under one heading. */
export interface RowGroup {
  readonly heading: string;
  readonly rows: readonly Row[];
}

type Makes = Sample | Sample['make'];

const samplesOf = (makes: readonly Makes[]): Sample[] =>
  makes.map((each) => (typeof each === 'function' ? { make: each } : each));

/** Makes the row of a type that is meant to arrive as it left; each sample is a function that makes a value. */
export function byValue(name: string, ...makes: readonly Makes[]): Row {
  return { name, intent: 'by value', samples: samplesOf(makes) };
}

/** Makes the row of a type that is meant to arrive as it left, from values by label. */
export function eachByValue(name: string, makes: Readonly<Record<string, Sample['make']>>): Row {
  return byValue(name, ...Object.entries(makes).map(([label, make]) => ({ label, make })));
}

/** Makes the row of what no codec can carry, and which has to be refused. */
export function refused(name: string, ...makes: readonly Makes[]): Row {
  return { name, intent: 'refused', samples: samplesOf(makes) };
}

/** Makes the row of what `lumenize` carries in a way of its own, and says why. */
export function itsOwnWay(name: string, why: string, ...makes: readonly Makes[]): Row {
  return { name, intent: 'its own way', why, samples: samplesOf(makes) };
}
