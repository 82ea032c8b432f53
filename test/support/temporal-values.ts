/** An instance of each class of `Temporal`, how it is written, and what is special about it. */
export const TEMPORAL: readonly (readonly [what: string, type: string, arguments: readonly unknown[], text: string])[] =
  [
    ['an instant of nanoseconds', 'Instant', [1_577_836_800_123_456_789n], '2020-01-01T00:00:00.123456789Z'],
    [
      'a time in a zone',
      'ZonedDateTime',
      [1_729_992_600_000_000_000n, 'Europe/Paris'],
      '2024-10-27T02:30:00+01:00[Europe/Paris]',
    ],
    [
      'the same time an hour before',
      'ZonedDateTime',
      [1_729_989_000_000_000_000n, 'Europe/Paris'],
      '2024-10-27T02:30:00+02:00[Europe/Paris]',
    ],
    [
      'a time whose offset has seconds',
      'ZonedDateTime',
      [-2_208_988_800_000_000_000n, 'Europe/Paris'],
      '1900-01-01T00:09:21+00:09[Europe/Paris]',
    ],
    ['a time in a calendar', 'ZonedDateTime', [0n, 'UTC', 'hebrew'], '1970-01-01T00:00:00+00:00[UTC][u-ca=hebrew]'],
    ['a date', 'PlainDate', [2020, 2, 29], '2020-02-29'],
    ['a date in a calendar', 'PlainDate', [2020, 2, 29, 'japanese'], '2020-02-29[u-ca=japanese]'],
    ['a time of day', 'PlainTime', [10, 20, 30, 500], '10:20:30.5'],
    ['a date and a time', 'PlainDateTime', [2020, 2, 29, 10, 20], '2020-02-29T10:20:00'],
    ['a month', 'PlainYearMonth', [2020, 2], '2020-02'],
    ['a month in a calendar', 'PlainYearMonth', [2020, 1, 'hebrew', 27], '2020-01-27[u-ca=hebrew]'],
    ['a day of the year', 'PlainMonthDay', [2, 29], '02-29'],
    ['a duration of many units', 'Duration', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], '1,2,3,4,5,6,7,8,9,10'],
    ['one of more milliseconds than a second has', 'Duration', [0, 0, 0, 0, 0, 0, 0, -1500], '0,0,0,0,0,0,0,-1500,0,0'],
    ['no duration', 'Duration', [], '0,0,0,0,0,0,0,0,0,0'],
  ];
