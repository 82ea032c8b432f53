const STEPS =
  'results inside of chains stay, the newest 1,000 of a connection: nothing is told and nothing is collected for them';
const PROMISES = 'a promise is awaited before it is passed, and the call that passes a broken one rejects';

/** What the contract promised once, and the rule that has dropped it: see docs/internals/protocol.md. */
export const DROPPED: Readonly<Record<string, string>> = {
  'pipelining: steps that nobody holds any more leave nothing on the server': STEPS,
  'references: a step that nobody holds any more is released': STEPS,
  'statistics: count results that are kept for later turns, and return to zero': STEPS,
  'references: a promise in data arrives as a promise, which settles later': PROMISES,
};
