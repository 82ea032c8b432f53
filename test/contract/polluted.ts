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
  ...[
    'use',
    'observe',
    'wrapTransport',
    'onStateChange',
    'refuse',
    'rateLimits',
    'connection',
    'identity',
    'protocols',
  ],
  ...['maxBytes', 'maxDepth', 'extend', 'revive', 'values', 'types', 'prepare'],
  ...[
    'guard',
    'args',
    'exactlyOnce',
    'readOnly',
    'take',
    'fits',
    'is',
    'empty',
    'nearest',
    'status',
    'source',
    'cause',
  ],
];

/** What a page or a Worker may have given all objects or arrays, by prototype and name. */
export const POLLUTIONS: Readonly<Record<string, readonly [prototype: object, properties: PropertyDescriptorMap]>> = {
  'functions of all objects': [
    Object.prototype,
    { inherited: ASSIGNED, each: ASSIGNED, extend: ASSIGNED, clone: ASSIGNED },
  ],
  'data of all objects': [
    Object.prototype,
    {
      inherited: { value: 'text', enumerable: true },
      more: { value: { of: ['it'] }, enumerable: true },
      none: { value: undefined, enumerable: true },
    },
  ],
  'an accessor of all objects': [
    Object.prototype,
    {
      inherited: {
        get() {
          throw new Error('nobody may read this');
        },
        enumerable: true,
      },
    },
  ],
  'what looks like marks': [
    Object.prototype,
    { $: ASSIGNED, $undefined: { value: 0, enumerable: true }, $x: ASSIGNED },
  ],
  indices: [Object.prototype, Object.fromEntries([0, 1, 2, 3, 4, 5, 8, 9].map((index) => [index, ASSIGNED]))],
  'names of options and tables': [Object.prototype, Object.fromEntries(NAMES.map((name) => [name, ASSIGNED]))],
  'toJSON of all objects': [Object.prototype, { toJSON: ASSIGNED }],
  'toJSON of arrays': [Array.prototype, { toJSON: FUNCTION }],
  'what Prototype.js gives arrays': [
    Array.prototype,
    { toJSON: ASSIGNED, each: ASSIGNED, last: ASSIGNED, without: ASSIGNED },
  ],
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
      if (which.known) continue;
      const { status, reason } = await runCase(which, connect, { lacks, timeoutMs: 10_000 });
      if (status === 'fails') failures.push(`${which.part}, ${which.name}: ${reason}`);
    }
  } finally {
    for (const name of names) Reflect.deleteProperty(prototype, name);
  }
  return failures;
}
