import { type CallWatch, type ObservedCall, type ObservedEnd, observeCalls } from '@lumenize/rpc/observe';
import { part } from '../case.ts';
import type { CaseContext, Untyped } from '../context.ts';
import { expect } from '../expect.ts';

type Seen = [method: string, outcome: ObservedEnd['outcome'], end: ObservedEnd];

/** Connects with an observer of the calls that the client makes, or answers; in memory it is told of the server's as well. */
function observed(
  { connect }: CaseContext,
  direction: ObservedCall['direction'] = 'outgoing',
): { stub: Untyped; seen: Seen[] } {
  const seen: Seen[] = [];
  const observe = observeCalls((call): CallWatch | undefined => {
    if (call.direction !== direction) return undefined;
    return { end: (end) => seen.push([call.method, end.outcome, end]) };
  });
  return { stub: connect({ observe }), seen };
}

export const OBSERVING = part(
  'observing',
  [
    {
      name: 'tells of each call with its value, its bytes and how long it took',
      async run(context) {
        const { stub, seen } = observed(context);
        expect(await stub.echo('x'.repeat(1000))).toBe('x'.repeat(1000));
        const [[method, outcome, end]] = seen;
        expect([method, outcome, end.value, seen.length]).toEqual(['echo', 'value', 'x'.repeat(1000), 1]);
        expect(end.callBytes).toBeAtLeast(1000);
        expect(end.resultBytes).toBeAtLeast(1000);
        expect(end.durationMs).toBeAtLeast(0);
      },
    },
    {
      name: 'tells of errors, those of the library by their codes',
      async run(context) {
        const { stub, seen } = observed(context);
        const thrown = await stub.throws().catch((error: unknown) => error);
        await expect(stub.nothing()).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
        expect(seen.map(([method, outcome, { code }]) => [method, outcome, code])).toEqual([
          ['throws', 'error', undefined],
          ['nothing', 'error', 'METHOD_NOT_FOUND'],
        ]);
        expect(seen[0][2].error === thrown).toBe(true);
      },
    },
    {
      name: 'tells of the steps of a chain',
      async run(context) {
        const { stub, seen } = observed(context);
        expect(await stub.owner().profile().greet('Bob')).toBe('Bob greets Ada');
        expect(seen.map(([method, outcome]) => `${method} ${outcome}`).toSorted()).toEqual([
          'greet value',
          'owner step',
          'profile step',
        ]);
      },
    },
    {
      name: 'gives a call the trace that its method finds',
      async run({ connect }) {
        const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
        const observe = observeCalls(({ direction }) => (direction === 'outgoing' ? { traceparent } : undefined));
        expect(await connect({ observe }).context()).toMatchObject({ traceparent });
      },
    },
    {
      name: 'tells of what the other side calls',
      needs: ['callbacks', 'state'],
      async run(context) {
        const { stub, seen } = observed(context, 'incoming');
        expect(await stub.callWith((n: number) => 2 * n, 21)).toBe(42);
        const [[, outcome, { value }]] = seen.filter(([method]) => method === 'function');
        expect([outcome, value]).toEqual(['value', 42]);
      },
    },
  ],
  ['statistics'],
);
