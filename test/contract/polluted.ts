import { CASES } from './cases/all.ts';
import type { ConnectContract } from './library.ts';
import { type Lacks, runCase } from './run-case.ts';

function replaced(): string {
  return 'replaced';
}

const FUNCTION = { value: replaced, writable: true };
const ASSIGNED = { ...FUNCTION, enumerable: true };

/** Names that the library looks for in objects of an application, or in tables of its own. */
const NAMES = [
  ...['use', 'observe', 'wrapTransport', 'onStateChange', 'refuse', 'rateLimits', 'connection', 'identity'],
  ...['protocols', 'maxBytes', 'maxDepth', 'extend', 'revive', 'values', 'types', 'prepare', 'guard', 'args'],
  ...['exactlyOnce', 'readOnly', 'take', 'fits', 'is', 'empty', 'nearest', 'status', 'source', 'cause'],
];

/** What a page or a Worker may have given all objects or arrays, by prototype and name. */
export const POLLUTIONS: Readonly<Record<string, readonly [prototype: object, properties: PropertyDescriptorMap]>> = {
  'functions, data and accessors of all objects': [
    Object.prototype,
    {
      inherited: ASSIGNED,
      each: ASSIGNED,
      note: { value: 'text', enumerable: true },
      more: { value: { of: ['it'] }, enumerable: true },
      none: { value: undefined, enumerable: true },
      accessor: {
        get() {
          throw new Error('nobody may read this');
        },
        enumerable: true,
      },
      // These look like marks.
      $: ASSIGNED,
      $undefined: { value: 0, enumerable: true },
    },
  ],
  'one function of all objects, whose name looks like a mark': [Object.prototype, { $: ASSIGNED }],
  'indices of all objects': [
    Object.prototype,
    Object.fromEntries([0, 1, 2, 3, 4, 5, 8, 9].map((index) => [index, ASSIGNED])),
  ],
  'names of options and tables': [Object.prototype, Object.fromEntries(NAMES.map((name) => [name, ASSIGNED]))],
  'toJSON of all objects': [Object.prototype, { toJSON: ASSIGNED }],
  'what Prototype.js gives arrays': [Array.prototype, { toJSON: FUNCTION, each: ASSIGNED, last: ASSIGNED }],
};

/**
 * Runs every case of the contract while a prototype has more properties, which objects of both sides inherit. Returns
 * those that do not hold, each with the reason.
 */
export async function casesThatFail(
  prototype: object,
  properties: PropertyDescriptorMap,
  connect: ConnectContract,
  lacks?: Lacks,
): Promise<string[]> {
  const failures: string[] = [];
  const names = Object.keys(properties);
  for (const name of names) {
    Object.defineProperty(
      prototype,
      name,
      Object.assign(Object.create(null), properties[name], { configurable: true }),
    );
  }
  try {
    for (const which of CASES) {
      const { status, reason } = await runCase(which, connect, { lacks, timeoutMs: 10_000 });
      if (status === 'fails') failures.push(`${which.part}, ${which.name}: ${reason}`);
    }
  } finally {
    for (const name of names) Reflect.deleteProperty(prototype, name);
  }
  return failures;
}
