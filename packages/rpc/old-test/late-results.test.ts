import { RpcTarget } from '@lumenize/rpc';
import { callContext, type RpcServerOptions } from '@lumenize/rpc/server';
import { expect, test } from 'vitest';
import { DATA, END } from '../src/protocol/channel.ts';
import { FULL_SIZE } from '../src/protocol/frame-writer.ts';
import { CHANNELS, ITERABLE, RESULT } from '../src/protocol/tags.ts';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import { type EventChannel, SubscriptionRequest } from '../src/server/topics/subscriber.ts';
import { Extended, recording, sequence } from './support/frames.ts';
import { recordedTransport } from './support/recorded-transport.ts';
import { turns, until } from './support/until.ts';

const ended: string[] = [];

class Room extends RpcTarget {
  [Symbol.dispose](): void {
    ended.push('target');
  }
}

/** A generator that has begun: what it would do in the end is to be done. */
async function begun(): Promise<AsyncGenerator<number>> {
  const generator = (async function* () {
    try {
      for (let n = 0; ; n++) yield n;
    } finally {
      ended.push('generator');
    }
  })();
  await generator.next();
  return generator;
}

const readable = () => new ReadableStream({ cancel: () => void ended.push('readable') });
const writable = () => new WritableStream({ abort: () => void ended.push('writable') });

/** What a method may return that somebody has to let go of, and how often each is to be. */
const RESULTS: Readonly<Record<string, () => unknown>> = {
  generator: begun,
  readable,
  writable,
  target: () => new Room(),
};

const allowed = Promise.withResolvers<boolean>();

class Api extends RpcTarget {
  static readonly rpc = { guarded: { guard: () => allowed.promise } };
  readonly gate = Promise.withResolvers<void>();
  readonly subscribed: unknown[] = [];

  async late(kinds: string[]): Promise<unknown> {
    await this.gate.promise;
    return { list: await Promise.all(kinds.map((kind) => RESULTS[kind]())) };
  }

  guarded(_stream: unknown): void {}

  async lateResponse(): Promise<Response> {
    await this.gate.promise;
    return new Response(readable());
  }

  async lateError(): Promise<never> {
    await this.gate.promise;
    throw Object.assign(new Error('no'), { room: new Room() });
  }

  async lateSubscription(): Promise<SubscriptionRequest> {
    await this.gate.promise;
    const begin = (...request: unknown[]) => [this.subscribed.push(request)];
    return new SubscriptionRequest({ begin, consumed() {}, unsubscribe() {} }, ['', 0]);
  }

  async lateRoom(): Promise<Room> {
    await this.gate.promise;
    return new Room();
  }

  /** Returns when it has ended its connection itself. */
  ends(): ReadableStream {
    this.end();
    return readable();
  }

  list(): number[] {
    return [1];
  }

  room(): Room {
    return new Room();
  }

  /** Returns what fills a frame. */
  large(): string {
    return 'x'.repeat(FULL_SIZE);
  }

  /** Returns a step's result when it has ended its connection itself. */
  endsStep(isLate: boolean): Room | Promise<Room> {
    this.end();
    return isLate ? this.lateRoom() : new Room();
  }

  /** Ends its connection itself, and waits for its call to be aborted. */
  async endsAborted(): Promise<void> {
    const { signal } = callContext();
    this.end();
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    ended.push('call');
  }

  end = () => {};

  mark(): void {
    this.isMarked = true;
  }

  isMarked = false;
}

function serve(options: RpcServerOptions = {}) {
  ended.length = 0;
  const api = new Api();
  const told: unknown[] = [];
  const { entries, transport } = recordedTransport();
  const served = { ...options, onError: (error: unknown) => told.push(error) };
  const session = new ServerSession(api, transport, createServerContext(served));
  session.events = {} as EventChannel;
  const lose = async () => {
    session.closed();
    api.gate.resolve();
    await session.idle;
    await turns(3);
  };
  api.end = () => session.closed();
  return {
    api,
    session,
    entries,
    told,
    subscribed: api.subscribed,
    lose,
    send: (...values: unknown[]) => session.receive(sequence(...values)),
  };
}

test.each([
  ['a generator', ['generator']],
  ['a stream to read', ['readable']],
  ['a stream to write', ['writable']],
  ['a target', ['target']],
  ['several of them', ['target', 'generator', 'readable', 'target']],
])('%s that is returned when the connection is gone is let go of', async (_what, kinds) => {
  const { session, entries, told, send, lose } = serve();
  send(1, [0, 'late', [kinds]]);
  await lose();
  expect([...ended].sort()).toEqual([...kinds].sort());
  expect(session.idle).toBeUndefined();
  expect(session.counts).toMatchObject({ exports: 0, channels: 0, heldResults: 0 });
  expect([entries, told]).toEqual([[], []]);
});

test('so is the body of a response, and what is in an error', async () => {
  const { api, session, send, lose } = serve();
  send(1, [0, 'lateResponse', []], [0, 'lateError', []], [0, 'mark', []]);
  await until(() => api.isMarked);
  await lose();
  expect([...ended].sort()).toEqual(['readable', 'target']);
  expect(session.idle).toBeUndefined();
});

test('so is the result of a step', async () => {
  const { session, send, lose } = serve();
  send(1, [0, 'late', [['generator', 'target']]], [-1, 0]);
  await lose();
  expect([...ended].sort()).toEqual(['generator', 'target']);
  expect([session.idle, session.counts.heldResults]).toEqual([undefined, 0]);
});

test('so is a target that is the result of a step itself, once', async () => {
  const { session, send, lose } = serve();
  send(1, [0, 'lateRoom', []], [-1, 0]);
  await lose();
  expect([ended, session.idle]).toEqual([['target'], undefined]);
});

test('so is what a method returns that has ended its connection itself', async () => {
  const { session, entries, send } = serve();
  send(1, [0, 'ends', []], [0, 'mark', []]);
  await turns(3);
  expect([ended, entries, session.idle, session.counts.channels]).toEqual([['readable'], [], undefined, 0]);
});

test.each([false, true])('so is a target that a step returns then, once; late: %s', async (isLate) => {
  const { api, session, send } = serve();
  send(1, [0, 'endsStep', [isLate]], [-1, 0]);
  api.gate.resolve();
  await turns(3);
  expect([ended, session.idle, session.counts.heldResults]).toEqual([['target'], undefined, 0]);
});

test('a call of a method that has ended its connection itself is aborted', async () => {
  const { session, send } = serve();
  send(1, [0, 'endsAborted', []]);
  await turns(3);
  expect([ended, session.idle]).toEqual([['call'], undefined]);
});

test('a target that a callback of map has returned is let go of once if sending it ends the connection', async () => {
  ended.length = 0;
  const transport = { send: () => session.closed(), close: () => {} };
  const session: ServerSession = new ServerSession(new Api(), transport, createServerContext({}));
  const result = (address: number) => new Extended(RESULT, address);
  const callback = recording([[-16, 'room', []], [-16, 'large', []], [[result(2), result(1)]]], result(0));
  session.receive(sequence(1, [0, 'list', []], [1, 'map', [callback]], [-1, 0]));
  await turns(3);
  expect(ended).toEqual(['target']);
});

test('a subscription that is returned then is none', async () => {
  const { session, subscribed, send, lose } = serve();
  send(1, [0, 'lateSubscription', []]);
  await lose();
  expect([subscribed, session.idle]).toEqual([[], undefined]);
});

test('so is what is returned, or thrown, and cannot be sent: each once', async () => {
  const { api, session, send } = serve({ limits: { maxReferences: 1 } });
  const kinds = ['target', 'generator', 'readable', 'writable', 'target'];
  send(1, [0, 'late', [kinds]], [0, 'lateRoom', []], [0, 'lateError', []]);
  api.gate.resolve();
  await turns(20);
  expect([...ended].sort()).toEqual([...kinds, 'target'].sort());
  expect(session.counts).toMatchObject({ exports: 1, channels: 0 });
});

test('what has arrived whole for a call that did not begin is let go of', async () => {
  const { session, send } = serve();
  send(1, [0, 'guarded', [new Extended(ITERABLE, 0)]]);
  send(CHANNELS, [0, DATA, 'a chunk'], [0, END]);
  await turns(3);
  session.closed();
  allowed.resolve(true);
  await turns(9);
  expect([session.idle, session.counts.channels]).toEqual([undefined, 0]);
});
