/** The frame that is being run. */
export interface Running {
  /** The start of entries without a receiver. */
  readonly target: unknown;
  /** The results of its entries so far, by their ids. */
  readonly results: Map<number, unknown>;
  /** The bytes of its values. */
  readonly tail: Uint8Array | undefined;
}

/** A call that is being answered. */
export interface Asked {
  readonly callId: number;
  /** Its entry. Arguments that are read replace those that arrived. */
  readonly steps: unknown[];
  readonly running: Running;
  /** The number of results inside of its chain so far; -1 if they are not kept. */
  kept: number;
  /** The promise that it waits for. */
  result?: PromiseLike<unknown> | undefined;
}

/** The name of the member that a call of the other side calls or reads, for messages. */
export function nameOfAsked({ steps }: Asked): string {
  return (steps.findLast((step) => typeof step === 'string') as string | undefined) ?? 'function';
}

/** Returns a promise that has failed. Whoever uses it gets the error. */
export function rejected(error: unknown): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  // A promise that is rejected first would be noted as unhandled for a while.
  promise.catch(() => {});
  reject(error);
  return promise;
}
