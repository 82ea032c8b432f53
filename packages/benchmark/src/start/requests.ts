import type { ClientHealth } from '../load/plan.ts';
import type { SubjectName } from '../subjects/subject.ts';

interface Place {
  readonly url: string;
  readonly subject: SubjectName;
}

interface Samples {
  readonly samplesMs: readonly number[];
}

/** How calls went while the code was replaced. */
export interface UpdateCounts {
  readonly succeeded: number;
  /** Calls that rejected. */
  readonly lost: number;
  /** What the counter stood at in the end. */
  readonly value: number;
  /** From the end of the old code to each client's first answer of the new one. */
  readonly againMs: readonly number[];
}

/** What the client of the family *start* is asked to do, and what it says then. */
export interface StartRequests {
  /** Makes the first call over a fresh connection; answers with when it had its answer, in ms since the epoch. */
  readonly firstCall: { readonly asks: Place; readonly replies: { readonly answeredAt: number } };
  /** Opens a connection to each of so many objects, under an arm's name, and calls each. */
  readonly hold: {
    readonly asks: Place & { readonly arm: string; readonly objects: number };
    readonly replies: object;
  };
  /** Calls the objects that an arm holds connections to, one after the other. */
  readonly wake: { readonly asks: { readonly arm: string }; readonly replies: Samples };
  /** Cuts connections, and times the next call of each. */
  readonly resume: { readonly asks: Place & { readonly times: number }; readonly replies: Samples };
  /** Cuts connections, and times a new one and its first call. */
  readonly newSession: { readonly asks: Place & { readonly times: number }; readonly replies: Samples };
  /** Has clients call one counter until `finish`; answers when each has had an answer. */
  readonly callers: {
    readonly asks: Place & { readonly clients: number; readonly once: boolean };
    readonly replies: object;
  };
  /** Waits until each has had an answer of the process that was started at `newAt`, ends the calls and says how they went. */
  readonly finish: {
    readonly asks: { readonly endedAt: number; readonly newAt: number };
    readonly replies: UpdateCounts;
  };
  readonly health: { readonly asks: object; readonly replies: ClientHealth };
}
