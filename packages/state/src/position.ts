/** A place in the changes of a state: the epoch of its storage, and the version of the newest change that is known. */
export type StatePosition = readonly [epoch: string, version: number];
