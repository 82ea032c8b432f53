import { once } from 'node:events';
import { connect, type Message, type Stub } from '@lumenize/rpc';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CounterApi } from '../../../examples/counter/src/counter-api.ts';
import { writeResent } from '../../../packages/rpc/src/protocol/resent.ts';
import { sequence, valuesOf } from '../../../packages/rpc/test/support/frames.ts';
import { countTraffic } from '../../support/counting-web-socket.ts';
import { type SharedWorker, sharedWorker } from '../../support/shared-worker.ts';

const EARLY = 'lumenize.rpc.2.early';

describe.each(['counter', 'counter-accept'])('calls of %s in the turn that connects', (binding) => {
  let worker: SharedWorker;
  let counting: ReturnType<typeof countTraffic>;

  beforeAll(async () => {
    worker = await sharedWorker();
  });
  beforeEach(() => {
    counting = countTraffic();
  });
  afterEach(() => counting[Symbol.dispose]());

  let names = 0;
  const address = () => worker.url(`/rpc/${binding}/early-${names++}`);
  /** Calls over a fresh connection; returns what came of it and the frames that it took, up and down. */
  async function framesOf(run: (counter: Stub<CounterApi>) => PromiseLike<unknown>, options = {}) {
    using counter = connect<CounterApi>(address(), options);
    const result = await run(counter);
    const { framesUp, framesDown } = counting.traffic;
    return [result, framesUp, framesDown];
  }

  test('need no frame where all of them only read', async () => {
    expect(await framesOf((counter) => Promise.all([counter.getValue(), counter.getValue()]))).toEqual([[0, 0], 0, 1]);
  });

  test.each<[string, (counter: Stub<CounterApi>) => PromiseLike<unknown>, unknown]>([
    ['of them writes', (counter) => Promise.all([counter.getValue(), counter.increment()]), [0, 1]],
    [
      'there is none of that name',
      (counter) =>
        (counter as unknown as { missing(): Promise<never> }).missing().catch(({ code }: { code: string }) => code),
      'METHOD_NOT_FOUND',
    ],
  ])('are sent once they can be where one %s', async (_which, run, expected) => {
    expect(await framesOf(run)).toEqual([expected, 1, 1]);
  });

  test('are sent once they can be where the client was told so', async () => {
    expect(await framesOf((counter) => counter.getValue(), { early: false })).toEqual([0, 1, 1]);
  });

  test('leave a connection that goes on as any other', async () => {
    const run = async (counter: Stub<CounterApi>) => {
      const seen = [await counter.getValue(), await counter.increment(), await counter.getValue()];
      return seen.join(' ');
    };
    expect(await framesOf(run)).toEqual(['0 1 1', 2, 3]);
  });

  /** Offers bytes, and returns the subprotocol that was taken up and the values of the first frame that came, if any. */
  async function offer(...early: string[]): Promise<[protocol: string, frame: unknown[] | undefined]> {
    const name = crypto.randomUUID().replaceAll('-', '');
    const protocols = [
      'lumenize.rpc.2',
      `lumenize.client.${name}.1`,
      EARLY,
      ...early.map((each) => `lumenize.early.${each}`),
    ];
    const socket = new WebSocket(address(), protocols);
    socket.binaryType = 'arraybuffer';
    await once(socket, 'open');
    // Answered behind all that came before.
    socket.send('ping');
    const [{ data }] = await once(socket, 'message');
    socket.close();
    return [socket.protocol, data === 'pong' ? undefined : valuesOf(data)];
  }

  const read = sequence(1, [0, 'getValue', []]);

  test('may be offered by anyone', async () => {
    expect(await offer(Buffer.from(read).toString('base64url'))).toEqual([EARLY, [1, [0]]]);
  });

  test.each<[string, Message]>([
    ['write', sequence(1, [0, 'increment', []])],
    ['use the result of another', sequence(1, [0, 'getValue', []], [1, 'toFixed', []])],
    ['go down a path', sequence(1, [0, ['getValue', 'call'], []])],
    ['read a method', sequence(1, [0, 'getValue'])],
    ['come with a signal', sequence(1, [0, 'getValue', []], [-8, 1])],
    ['are sent again', writeResent(0, [0], read)],
    ['are a token', sequence(-5, 0, 'token')],
    ['are about nothing', sequence(1, [0, 'missing', []])],
    ['are on what the client holds', sequence(1, [-16, 'getValue', []])],
    ['are cut short', read.slice(0, -1)],
    ['are no frame', 'what?'],
  ])('are not run when they %s, and the connection is open', async (_what, frame) => {
    expect(await offer(Buffer.from(frame).toString('base64url'))).toEqual(['lumenize.rpc.2', undefined]);
  });

  test.each(['', 'A', '+w', 'A'.repeat(1367)])('are nothing where they read %j', async (text) => {
    expect(await offer(text)).toEqual(['lumenize.rpc.2', undefined]);
  });
});
