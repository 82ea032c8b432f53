import type { Lacks } from './run-case.ts';

const REASON = 'each request has a target of its own, and nothing outlives it';

/** What HTTP lacks. */
export const STATELESS: Lacks = { state: REASON, references: REASON, callbacks: REASON, channels: REASON };
