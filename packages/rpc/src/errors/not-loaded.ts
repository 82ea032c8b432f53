/** A part of the library that can be loaded when it is needed. */
export interface Loadable {
  /** What it is, for messages. */
  readonly name: string;
  /** Loads it. Rejects where that fails, as without a network. */
  load(): Promise<void>;
}

/** Thrown where a part is needed that has not been loaded: what was begun is begun again when it has been. */
export class NotLoaded {
  readonly missing: Loadable;

  constructor(missing: Loadable) {
    this.missing = missing;
  }
}
