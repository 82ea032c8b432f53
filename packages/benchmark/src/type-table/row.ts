import type { Difference, DifferenceOptions } from '../../../../tools/difference/find-difference.ts';

/** What `lumenize` is meant to do with the values of a row. */
export type Intent = 'by value' | 'refused' | 'its own way';

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
  readonly intent: Intent;
  /** Why `lumenize` goes its own way. */
  readonly why?: string;
}

/** Rows under one heading. */
export interface RowGroup {
  readonly heading: string;
  readonly rows: readonly Row[];
}

/** Makes the row of a type that is meant to arrive as it left; each sample is a function that makes a value. */
export function byValue(name: string, ...samples: readonly (Sample | Sample['make'])[]): Row {
  return { name, intent: 'by value', samples: samples.map(toSample) };
}

/** Makes the row of what no codec can carry, and which has to be refused. */
export function refused(name: string, ...samples: readonly (Sample | Sample['make'])[]): Row {
  return { name, intent: 'refused', samples: samples.map(toSample) };
}

/** Makes the row of what `lumenize` carries in a way of its own, and says why. */
export function itsOwnWay(name: string, why: string, ...samples: readonly (Sample | Sample['make'])[]): Row {
  return { name, intent: 'its own way', why, samples: samples.map(toSample) };
}

function toSample(sample: Sample | Sample['make']): Sample {
  return typeof sample === 'function' ? { make: sample } : sample;
}
