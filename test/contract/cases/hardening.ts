import { part } from '../case.ts';
import type { CaseContext, Untyped } from '../context.ts';
import { expect } from '../expect.ts';
import { clientCounter } from './client-counter.ts';

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

/** Tries something that should reach nothing: it fails, or gives undefined, or is answered without the server. */
async function reachesNothing({ counts }: CaseContext, attempt: () => unknown): Promise<void> {
  const { framesSent } = counts();
  let value: unknown;
  try {
    value = await attempt();
  } catch {
    return; // most are refused by name, which is a case of its own
  }
  if (counts().framesSent > framesSent) expect(value).toBe(undefined);
}

export const HARDENING = part('hardening', [
  ...UNDECLARED.map((name) => ({
    name: `${name}, which the target does not declare, is not called and not read`,
    async run(context: CaseContext) {
      const { untyped, stub } = context;
      for (const attempt of [() => untyped[name](), () => untyped[name]]) await reachesNothing(context, attempt);
      expect(await stub.ran()).toEqual([]);
    },
  })),
  {
    name: 'what is not declared is refused by name',
    async run({ untyped }) {
      // That of a stub is its own, and nobody is asked for it; frames that ask are among what attackers try.
      for (const name of UNDECLARED.filter((name) => name !== 'constructor')) {
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
    async run(context) {
      const { untyped } = context;
      for (const name of ['__proto__', 'constructor', 'toString']) {
        await reachesNothing(context, () => untyped.record()[name].name);
        await reachesNothing(context, () => untyped.record().tags[name].name);
      }
    },
  },
  {
    name: 'a key called __proto__ in arguments is data, and pollutes nothing',
    async run({ untyped }) {
      const arrived = await untyped.echo(JSON.parse('{"__proto__": {"polluted": true}, "n": 1}'));
      expect(({} as { polluted?: boolean }).polluted).toBe(undefined);
      expect(arrived.polluted).toBe(undefined);
    },
  },
  {
    name: 'a regular expression of a stranger is refused, and the connection goes on',
    async run({ untyped }) {
      await expect((async () => untyped.echo(/(a+)+$/))()).rejects.toBeInstanceOf(Error);
      expect(await untyped.sum(1, 2)).toBe(3);
    },
  },
  {
    name: 'data nested deeper than a stack is refused or carried, and the connection goes on',
    async run({ untyped }) {
      let deep: unknown[] = [];
      for (let depth = 0; depth < 100_000; depth++) deep = [deep];
      await Promise.allSettled([(async () => untyped.echo(deep))()]);
      expect(await untyped.sum(1, 2)).toBe(3);
    },
  },
  {
    name: 'more calls at once than the server takes are refused, each for itself',
    needs: ['state'],
    async run({ stub, close }) {
      const held = Promise.allSettled(Array.from({ length: 3000 }, (_, index) => stub.held(index)));
      await expect(stub.held(0)).rejects.toMatchObject({ code: 'OVERLOADED' });
      close();
      const outcomes = (await held) as PromiseRejectedResult[];
      const refused = outcomes.filter(({ reason }) => reason.code === 'OVERLOADED');
      expect(refused.length).toBeAtLeast(1000);
      expect(refused.length).toBeAtMost(2900);
    },
  },
  {
    name: 'of a function only the call can be reached',
    needs: ['references'],
    async run(context) {
      const add = await context.untyped.adder(1);
      for (const name of ['constructor', 'toString', '__proto__', 'prototype', 'caller']) {
        await reachesNothing(context, () => add[name]());
        await reachesNothing(context, () => add[name]);
      }
      expect(await add(1)).toBe(2);
    },
  },
  {
    name: 'of a target of the client the server reaches what is declared, and nothing else',
    needs: ['references'],
    async run(context) {
      const counter = clientCounter(context);
      for (const name of ['disposals', '#value', 'nothing']) {
        for (const attempt of ['readUndeclared', 'callUndeclared']) {
          await reachesNothing(context, () => context.untyped[attempt](counter, name));
        }
      }
      expect(await context.untyped.incrementRemote(counter)).toBe(1);
    },
  },
  {
    name: 'undeclared members cannot be reached by a recorded callback either',
    async run(context) {
      for (const name of ['constructor', 'ownProperty', 'nothing']) {
        await reachesNothing(context, async () => {
          const [reached] = await context.untyped.rows(1).map((row: Untyped) => row.counter[name]());
          return reached;
        });
      }
    },
  },
  {
    name: 'a symbol, a WeakMap and an instance of an unknown class are refused by name, never sent as {}',
    async run({ untyped }) {
      class Unknown {}
      for (const value of [Symbol('x'), new WeakMap(), new Unknown()]) {
        await expect((async () => untyped.echo([value]))()).rejects.toBeInstanceOf(Error);
      }
    },
  },
]);
