import { part } from '../case.ts';
import { expect } from '../expect.ts';

const UNDECLARED = [
  'nothing',
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'ownProperty',
  '#private',
  'fetch',
  'webSocketMessage',
  'ctx',
  'env',
  'target',
];

export const HARDENING = part('hardening', [
  ...UNDECLARED.map((name) => ({
    name: `${name}, which the target does not declare, is not called and not read`,
    // biome-ignore lint/suspicious/noExplicitAny: the point is what types forbid
    async run({ untyped, stub }: any) {
      for (const attempt of [() => untyped[name](), () => untyped[name]]) {
        const outcome = await attempt().then(
          (value: unknown) => ({ value }),
          (error: unknown) => ({ error }),
        );
        // No more than what is not there at all: nothing is run, and nothing of the server is shown.
        if (!('error' in outcome)) expect(outcome.value).toBe(undefined);
      }
      expect(await stub.ran()).toEqual([]);
    },
  })),
  {
    name: 'what is not declared is refused by name',
    async run({ untyped }) {
      for (const name of UNDECLARED) {
        for (const attempt of [() => untyped[name](), () => untyped[name]]) {
          const error = await attempt().then(
            () => 'it was reached',
            (reason: unknown) => reason,
          );
          expect(error).toMatchObject({ name: 'RpcError', code: 'METHOD_NOT_FOUND' });
          expect((error as Error).message.includes(name)).toBe(true);
        }
      }
    },
  },
  {
    name: 'prototypes cannot be reached through data',
    async run({ untyped }) {
      for (const name of ['__proto__', 'constructor', 'toString']) {
        for (const attempt of [() => untyped.record()[name], () => untyped.record().tags[name]]) {
          const outcome = await attempt().then(
            (value: unknown) => ({ value }),
            (error: unknown) => ({ error }),
          );
          if (!('error' in outcome)) expect(outcome.value).toBe(undefined);
        }
      }
    },
  },
]);
