import { env, evictDurableObject, runInDurableObject, SELF } from 'cloudflare:test';
import { connection, withOptions } from '@lumenize/rpc';
import { connectBinding } from '@lumenize/rpc/binding';
import { expiring } from '@lumenize/rpc/server';
import { describe, expect, test } from 'vitest';
import { contract } from '../contract/contract.ts';
import type { ContractTarget } from '../contract/contract-target.ts';

const { CONTRACT, GUARDED, NEWS, UNSERVED, SERVICE } = env as unknown as Record<string, DurableObjectNamespace> & {
  SERVICE: Fetcher;
};
let instance = 0;

contract('a binding of an object', (given) =>
  connectBinding<ContractTarget>(CONTRACT.getByName(`binding-${++instance}`), given as never),
);
contract('a service binding', (given) => connectBinding<ContractTarget>(SERVICE, given as never));

type Native = Record<'send' | 'close', (frame?: Uint8Array) => Promise<unknown>>;
interface Opened extends Disposable {
  connection: Native;
  ended(): Promise<unknown>;
}

/** The platform's stub of an object, with lists of the native calls that are made through it, and of their answers. */
function counting(name: string): { stub: object; calls: string[]; answers: Promise<unknown>[] } {
  const object = CONTRACT.getByName(name) as unknown as {
    openRpcConnection(...args: unknown[]): Opened & PromiseLike<Opened>;
  };
  const calls: string[] = [];
  const answers: Promise<unknown>[] = [];
  /** Where the platform gives an object, and before it a promise that can be used like it, this gives one that counts. */
  const counted = (opened: Opened): Opened => {
    const { connection } = opened;
    const method = (called: keyof Native) => (frame?: Uint8Array) => {
      calls.push(called);
      const answer = frame === undefined ? connection[called]() : connection[called](frame);
      if (called === 'send') answers.push(answer);
      return answer;
    };
    return Object.assign(Object.create(null), {
      ...(opened instanceof Promise ? {} : opened),
      connection: { send: method('send'), close: method('close') },
      ended: () => {
        calls.push('ended');
        return opened.ended();
      },
      [Symbol.dispose]: () => opened[Symbol.dispose](),
    });
  };
  const stub = {
    openRpcConnection(...args: unknown[]) {
      calls.push('open');
      const opening = object.openRpcConnection(...args);
      return Object.assign(counted(opening), {
        then: (resolve: (opened: Opened) => unknown, reject: (reason: unknown) => unknown) =>
          opening.then((opened) => resolve(counted(opened)), reject),
      });
    },
  };
  return { stub, calls, answers };
}

describe('a connection by a binding', () => {
  test('makes one native call for a call, and one more for as long as it lasts', async () => {
    const { stub, calls } = counting('counted');
    const target = connectBinding<ContractTarget>(stub);
    await target.add();
    expect(calls).toEqual(['open']);
    await target.ownerLater().profile().name;
    await Promise.all([target.add(), target.add()]);
    expect(calls.filter((call) => call !== 'ended')).toEqual(['open', 'send', 'send']);
    expect(connection(target).statistics).toMatchObject({ framesSent: 3, framesReceived: 3 });
  });

  test('answers with one text where there is one frame of text, which costs the platform less than a list', async () => {
    const { stub, answers } = counting('answers');
    using target = connectBinding<ContractTarget>(stub);
    await target.add();
    await target.add();
    await target.echo(new Uint8Array([1]));
    expect(await Promise.all(answers)).toEqual(['1 [-2,2]', [2, expect.any(Uint8Array)]]);
  });

  test('of a single call is a single native call', async () => {
    const { stub, calls } = counting('single');
    {
      using target = connectBinding<ContractTarget>(stub);
      await target.add();
    }
    await new Promise((resolve) => setTimeout(resolve));
    expect(calls).toEqual(['open']);
  });

  test('begins a thousand calls in the order they are made, while it is being opened and after', async () => {
    using target = connectBinding<ContractTarget>(CONTRACT.getByName('ordered'));
    const results: Promise<number>[] = [];
    for (let turn = 0; turn < 1000; turn++) {
      results.push(target.add());
      await Promise.resolve();
      if (turn % 7 === 0) await new Promise((resolve) => setTimeout(resolve));
    }
    expect(await Promise.all(results)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
  });

  test('brings what is ready later, after another result of the same frame', async () => {
    const { stub, calls } = counting('later');
    using target = connectBinding<ContractTarget>(stub);
    const held = target.held(1);
    expect(await target.ownerLater().profile().name).toBe('Ada');
    await target.release();
    expect(await held).toBe(1);
    expect(calls.filter((call) => call === 'send').length).toBe(1);
  });

  test('gives the target what the Worker says of the caller', async () => {
    using ada = connectBinding<{ whoAmI(): unknown }>(GUARDED.getByName('one'), {
      identity: { user: 'ada', since: new Date(0) },
    });
    expect(await ada.whoAmI()).toEqual({ user: 'ada', since: new Date(0) });
  });

  test('lets the object call back, during a call and after it', async () => {
    interface Asking {
      ask(callback: (question: string) => string): unknown;
      askLater(callback: (question: string) => void): void;
    }
    using asking = connectBinding<Asking>(GUARDED.getByName('one'), { identity: { user: 'ada' } });
    expect(await asking.ask((question: string) => `${question}?`)).toEqual(['who?', 'what?']);
    const { promise, resolve } = Promise.withResolvers<string>();
    await asking.askLater(resolve);
    expect(await promise).toBe('when');
  });

  test.each([
    ['mallory', 'DENIED', 'mallory may not use this object'],
    ['broken', 'NOT_EXECUTED', 'target() failed: a defect of the class'],
  ])('is refused where there is no target for %s, and runs nothing', async (user, code, message) => {
    using stub = connectBinding<{ whoAmI(): unknown }>(GUARDED.getByName('one'), { identity: { user } });
    await expect(stub.whoAmI()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test('to something else says what it should lead to', async () => {
    using stub = connectBinding<{ hello(): string }>(UNSERVED.getByName('one'));
    await expect(stub.hello()).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('no class that extends RpcObject or RpcEntrypoint'),
    });
  });

  test.each([
    ['a binding that does not exist', undefined],
    ['a namespace', CONTRACT],
  ])('to %s is refused at once', (_what, binding) => {
    expect(() => connectBinding(binding as object)).toThrow(/^connectBinding\(\) needs a service binding, or a stub/);
  });

  test('to an object that breaks settles its calls, and the next call connects again', async () => {
    const object = CONTRACT.getByName('breaks');
    using stub = connectBinding<ContractTarget>(object);
    const held = stub.held(1);
    await stub.ran();
    const outcome = held.catch((error: unknown) => error);
    await runInDurableObject(object, (_, state) => state.abort('broken on purpose')).catch(() => {});
    expect(await outcome).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: expect.stringContaining('it may have run'),
    });
    expect(connection(stub)).toMatchObject({ state: 'idle', statistics: { callsInFlight: 0 } });
    expect(await connectBinding<ContractTarget>(CONTRACT.getByName('breaks')).add()).toBe(1);
  });

  const broken = /give connectBinding\(\) a function that returns a new stub/;
  const lose = (name: string) =>
    runInDurableObject(CONTRACT.getByName(name), (_, state) => state.abort('broken on purpose')).catch(() => {});

  test('given as a function connects again to an object that was reset, with the next call', async () => {
    let made = 0;
    using stub = connectBinding<ContractTarget>(() => {
      made++;
      return CONTRACT.getByName('renewed');
    });
    expect([await stub.add(), await stub.add(), made]).toEqual([1, 2, 1]);
    for (const again of [2, 3]) {
      const held = expect(stub.held(1)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
      await stub.ran();
      await lose('renewed');
      await held;
      // The target is that of the new connection.
      expect(await Promise.all([stub.add(), stub.add()])).toEqual([1, 2]);
      expect(made).toBe(again);
    }
    expect(connection(stub)).toMatchObject({ state: 'open', statistics: { reconnects: 2 } });
  });

  test('given as a stub says, once its object was reset, that nothing runs and what to give instead', async () => {
    using stub = connectBinding<ContractTarget>(CONTRACT.getByName('stays broken'));
    const held = expect(stub.held(1)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await stub.ran();
    await lose('stays broken');
    await held;
    for (let call = 0; call < 2; call++) {
      await expect(stub.add()).rejects.toMatchObject({
        code: 'NOT_EXECUTED',
        retryable: true,
        message: expect.stringMatching(broken),
      });
    }
    expect(await connectBinding<ContractTarget>(CONTRACT.getByName('stays broken')).add()).toBe(1);
  });

  test('that cannot be opened again has run nothing', async () => {
    let isGone = false;
    using stub = connectBinding<ContractTarget>(() => {
      if (isGone) throw new Error('no binding any more');
      return CONTRACT.getByName('gone');
    });
    expect(await stub.add()).toBe(1);
    const lost = new Promise<void>((resolve) => {
      connection(stub).onStateChange((state) => state === 'idle' && resolve());
    });
    await lose('gone');
    await lost;
    isGone = true;
    await expect(stub.add()).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining('no binding any more'),
    });
    isGone = false;
    expect(await stub.add()).toBe(1);
  });

  test('to an object that is gone, before that is noticed, runs nothing', async () => {
    using stub = connectBinding<ContractTarget>(() => CONTRACT.getByName('unnoticed'));
    expect(await stub.add()).toBe(1);
    await lose('unnoticed');
    const [first, second] = await Promise.allSettled([stub.add(), stub.add()]);
    // It may have been noticed by now.
    if (first.status === 'rejected') expect(first.reason).toMatchObject({ code: 'NOT_EXECUTED' });
    expect(second.status).toBe(first.status);
    expect(await stub.add()).toBe(first.status === 'rejected' ? 1 : 3);
  });

  test('given as a function that returns something else says so, and runs nothing', async () => {
    using stub = connectBinding<ContractTarget>(() => CONTRACT);
    await expect(stub.add()).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining('connectBinding() needs a service binding, or a stub'),
    });
  });

  test.each([
    ['a function is made again in the next request', 'new', [1, 'NOT_EXECUTED', 1, 'NOT_EXECUTED', 1]],
    ['a stub runs nothing in the next', 'same', [1, 'NOT_EXECUTED', 'NOT_EXECUTED', 'NOT_EXECUTED', 'NOT_EXECUTED']],
  ])('kept from an earlier request: %s, and says so', async (_what, how, expected) => {
    const told: unknown[] = [];
    const messages: string[] = [];
    for (let request = 0; request < expected.length; request++) {
      const answer = await (await SELF.fetch(`http://worker.test/kept?${how}`)).json<{
        code: string;
        message: string;
      }>();
      told.push(answer.code ?? answer);
      messages.push(answer.message);
    }
    expect(told).toEqual(expected);
    expect(messages[1]).toContain('a different request');
    if (how === 'same') expect(messages[2]).toMatch(broken);
  });

  test('ends with the request in which it was made', async () => {
    using ada = connectBinding<{ abandoned(): void }>(GUARDED.getByName('abandoned'), { identity: { user: 'ada' } });
    const response = await SELF.fetch('http://worker.test/abandon');
    expect(await response.json()).toEqual({ user: 'ada' });
    await ada.abandoned();
  });

  test('lets its object go when it is closed', async () => {
    const target = connectBinding<ContractTarget>(CONTRACT.getByName('released'));
    expect(await target.add()).toBe(1);
    target[Symbol.dispose]();
    // An object that is held cannot be evicted: this would not come to an end.
    await evictDurableObject(CONTRACT.getByName('released'));
    using again = connectBinding<ContractTarget>(CONTRACT.getByName('released'));
    expect(await again.add()).toBe(1);
  });

  test('tells the object when it begins and ends', async () => {
    using bob = connectBinding<{ connected(): string[] }>(GUARDED.getByName('told'), { identity: { user: 'bob' } });
    await bob.connected();
    const ada = connectBinding<{ connected(): string[] }>(GUARDED.getByName('told'), { identity: { user: 'ada' } });
    expect(await ada.connected()).toEqual(['+bob', '+ada']);
    ada[Symbol.dispose]();
    while ((await bob.connected()).length < 3);
    expect(await bob.connected()).toEqual(['+bob', '+ada', '-ada']);
  });

  test('brings events, before the answers of the calls that publish them, until it ends', async () => {
    interface News extends Disposable {
      subscribe(): AsyncIterable<{ event: unknown }>;
      publish(event: unknown): Promise<number>;
      subscribers(): Promise<number>;
    }
    const connectNews = () => connectBinding(NEWS.getByName('by binding')) as never as News;
    const reader = connectNews();
    using publisher = connectNews();
    const seen: unknown[] = [];
    const news = await reader.subscribe();
    const reading = (async () => {
      for await (const { event } of news) seen.push(event);
    })();
    await reader.publish('own');
    expect(seen).toEqual(['own']);
    await publisher.publish({ of: 'another' });
    while (seen.length < 2) await new Promise((resolve) => setTimeout(resolve));
    expect(seen).toEqual(['own', { of: 'another' }]);
    expect(await publisher.subscribers()).toBe(1);
    reader[Symbol.dispose]();
    await reading;
    while ((await publisher.subscribers()) > 0);
  });

  test('of an identity that has expired is refused, and runs nothing', async () => {
    using ada = connectBinding<{ whoAmI(): unknown }>(GUARDED.getByName('late'), {
      identity: expiring({ user: 'ada' }, Date.now() - 1),
    });
    await expect(ada.whoAmI()).rejects.toMatchObject({ code: 'EXPIRED' });
  });

  test('of which a call is given up does not wait for its answer', async () => {
    const { stub, answers } = counting('given up');
    using target = connectBinding<ContractTarget>(stub);
    await target.add();
    const controller = new AbortController();
    const held = expect(withOptions(target, { signal: controller.signal }).held(1)).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    // So that it has been sent.
    await target.ran();
    controller.abort();
    await held;
    await Promise.all(answers);
    expect(answers.length).toBeGreaterThan(1);
  });
});
