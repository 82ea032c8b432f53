/** Cases that a rule of the core anew drops, by their names, each with the rule: see docs/protocol.md. */
export const DROPPED: Readonly<Record<string, string>> = {
  'steps that nobody holds any more leave nothing on the server':
    'results inside of chains stay, the newest 1,000 of a connection: nothing is told and nothing is collected for them',
  'a step that nobody holds any more is released':
    'results inside of chains stay, the newest 1,000 of a connection: nothing is told and nothing is collected for them',
  'count results that are kept for later turns, and return to zero':
    'results inside of chains stay, the newest 1,000 of a connection: nothing is told and nothing is collected for them',
  'a promise in data arrives as a promise, which settles later': 'a promise is awaited before it is passed',
  'a promise in data that is broken rejects for who awaits it, and nowhere else':
    'a promise is awaited before it is passed, and the call that passes a broken one rejects',
};
