// Runs in a page: `tryTemporal()` returns what became of the values.
import { decode, encode, parse, readBodies, stringify } from '@lumenize/structured-clone';
import { TEMPORAL } from './temporal-values.ts';

// biome-ignore lint/suspicious/noExplicitAny: the compiler's library does not have it
const { Temporal } = globalThis as any;

const units = (value: object) =>
  Object.keys(Object.getOwnPropertyDescriptors(Temporal.Duration.prototype))
    .filter((name) => name.endsWith('s'))
    .map((name) => (value as Record<string, unknown>)[name])
    .filter((unit) => typeof unit === 'number');

export interface TriedTemporal {
  tried: { text: string; same: boolean }[];
  hostile: unknown[];
  refused: unknown;
  named: unknown;
  otherRules: string;
  bodies: number;
}

function codeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}

const mark = (...parts: unknown[]) => codeOf(() => parse(JSON.stringify({ $: { $Temporal: parts } })));
async function tryTemporal(): Promise<TriedTemporal> {
  const tried = TEMPORAL.map(([, type, given]) => {
    const value = new Temporal[type](...given);
    const copies = [decode(encode([value, value])), parse(stringify([value, value]))] as object[][];
    const same = copies.every(([copy, again]) => {
      const isSame =
        type === 'Duration' ? `${units(copy)}` === `${units(value)}` : copy.toString() === value.toString();
      const equals = (copy as { equals?(other: unknown): boolean }).equals?.(value) ?? true;
      return isSame && equals && copy === again && Object.getPrototypeOf(copy) === Temporal[type].prototype;
    });
    return { text: stringify(value), same };
  });

  const noRules = parse('{"$":{"$Temporal":["ZonedDateTime","2024-06-01T12:00:00+09:00[Europe/Paris]"]}}') as {
    toInstant(): unknown;
  };
  return {
    tried,
    hostile: [
      mark('Now', 'x'),
      mark('constructor', 'x'),
      mark('__proto__', 'x'),
      mark('from', 'x'),
      mark(5, 5),
      mark('Instant', {}),
      mark('Instant', 5),
      mark('Instant', 'x'),
      mark('Duration', 'x,y'),
      mark('Duration', '0,0,0,0,0,0,0,0,0,1.5'),
      mark('Instant'),
    ],
    refused: codeOf(() => decode(encode(Temporal.PlainDate.from('2020-02-29')), { refuse: ['Temporal'] })),
    named: codeOf(() => encode(Object.assign(Temporal.PlainDate.from('2020-02-29'), { note: 1 }))),
    otherRules: String(noRules.toInstant()),
    bodies: (await readBodies([Temporal.PlainDate.from('2020-02-29')])).size,
  };
}

Object.assign(globalThis, { tryTemporal });
