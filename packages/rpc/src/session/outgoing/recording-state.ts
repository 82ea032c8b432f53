import type { Node } from './node.ts';

/** What a recording is asked by stubs from outside that are used while it goes on. */
export interface CurrentRecorder {
  recordCall(node: Node, args: unknown[]): object;
  /** Makes the error for what cannot be done meanwhile. */
  misuse(node: Node, what: string): TypeError;
}

let current: CurrentRecorder | undefined;

/** The recording that is going on: all calls belong to it, whoever makes them. */
export function currentRecorder(): CurrentRecorder | undefined {
  return current;
}

export function setCurrentRecorder(recorder: CurrentRecorder | undefined): void {
  current = recorder;
}
