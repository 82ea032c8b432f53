/** A ratio that the project has set itself, on workerd. */
export interface RatioBar {
  readonly name: string;
  readonly scenario: string;
  readonly subject: string;
  readonly baseline: string;
  readonly must: number;
  readonly aim: number;
}

/** Every bar that is a ratio of times of blocks. */
export const RATIO_BARS: readonly RatioBar[] = [
  bar('read, one at a time, against Cap’n Web', 'getValue/sequential', 'lumenize', 'capnweb', 1.1, 1.2),
  bar('read, hibernation off, against Cap’n Web', 'getValue/sequential', 'lumenize-accept', 'capnweb', 1.2, 1.35),
  bar('read, against raw JSON', 'getValue/sequential', 'lumenize', 'raw', 0.92, 0.97),
  bar('read, hibernation off, against raw JSON', 'getValue/sequential', 'lumenize-accept', 'raw-accept', 0.92, 0.97),
  bar('increment, against raw JSON', 'increment/sequential', 'lumenize', 'raw', 0.92, 0.97),
  bar(
    'increment, hibernation off, against raw JSON',
    'increment/sequential',
    'lumenize-accept',
    'raw-accept',
    0.92,
    0.97,
  ),
  bar('100 increments in one turn, against Cap’n Web', 'increment/one-turn-100', 'lumenize', 'capnweb', 15, 40),
  bar('connect to first result, against Cap’n Web', 'connect/first-result', 'lumenize', 'capnweb', 1, 1.2),
  bar('three-step pipeline, against Cap’n Web', 'pipeline/chain-3', 'lumenize', 'capnweb', 1.3, 1.8),
  bar('an event to 1000 subscribers, against Cap’n Web callbacks', 'events/to-1000', 'lumenize', 'capnweb', 5, 15),
  bar(
    '20 events to 1000 subscribers, against Cap’n Web callbacks',
    'events/to-1000-burst',
    'lumenize',
    'capnweb',
    5,
    15,
  ),
  bar('200 rows echoed, against Cap’n Web', 'echo/rows-200', 'lumenize', 'capnweb', 1.5, 2),
  bar('64 KiB of bytes echoed, against Cap’n Web', 'echo/bytes-64KiB', 'lumenize', 'capnweb', 2, 4),
  bar('1 MiB of bytes echoed, against Cap’n Web', 'echo/bytes-1MiB', 'lumenize', 'capnweb', 3, 8),
];

function bar(name: string, scenario: string, subject: string, baseline: string, must: number, aim: number): RatioBar {
  return { name, scenario, subject, baseline, must, aim };
}
