import { type ConnectOptions, connection, connectOver } from '@lumenize/rpc/core';
import { mapping, messageParts, references, streams, subscriptions } from '@lumenize/rpc/extensions';
import { RpcTarget } from '@lumenize/rpc/server';
import { describe, expect, test } from 'vitest';
import { expiring, newCaller } from '../src/server/access/caller.ts';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import { memoryTransport } from '../src/transport/memory.ts';

class Inner extends RpcTarget {
  name() {
    return 'inner';
  }
}

class Api extends RpcTarget {
  add(a: number, b: number) {
    return a + b;
  }
  row() {
    return { id: 7, tags: ['a', 'b'], seen: new Map([['a', 1]]) };
  }
  fails() {
    throw new RangeError('no');
  }
  inner() {
    return new Inner();
  }
  call(callback: (value: number) => unknown) {
    return callback(1);
  }
  async *stream() {}
  length(text: string) {
    return text.length;
  }
  text(length: number) {
    return 'x'.repeat(length);
  }
  promise() {
    return { later: Promise.resolve(1) };
  }
}

/** Connects a client to a server that has all extensions, and the client's limits. */
function connectWith(options: ConnectOptions = {}, identify: () => unknown = () => undefined) {
  const context = createServerContext({ limits: options.limits });
  const open = memoryTransport(
    (channel) => new ServerSession(new Api(), channel, context, { caller: newCaller(identify()) }),
  );
  return connectOver<Api>(open, 'a target in memory', options);
}

describe('a client without extensions', () => {
  test('calls, chains, and goes on from results that have arrived', async () => {
    using api = connectWith();
    expect(await Promise.all([api.add(1, 2), api.row().id, api.inner().name()])).toEqual([3, 7, 'inner']);
    const row = api.row();
    await row;
    expect(await row.tags.at(-1)).toBe('b');
    expect(await row.seen.get('a')).toBe(1);
    expect(await row.seen.size).toBe(1);
    await expect((row as unknown as { missing(): unknown }).missing()).rejects.toThrow('no method "missing"');
    await expect(api.fails()).rejects.toThrow(new RangeError('no'));
  });

  test('refuses to send what needs one, names it, and goes on', async () => {
    using api = connectWith();
    const needs = (name: string) =>
      expect.objectContaining({ code: 'NOT_CLONEABLE', message: expect.stringContaining(`list "${name}"`) });
    await expect(api.call(() => 1)).rejects.toEqual(needs('references'));
    await expect(api.call(new Inner() as never)).rejects.toEqual(needs('references'));
    await expect(api.call(Promise.resolve() as never)).rejects.toEqual(needs('streams'));
    await expect(api.call(new ReadableStream() as never)).rejects.toEqual(needs('streams'));
    expect(await api.add(1, 2)).toBe(3);
  });

  test('sends and takes nothing that does not fit into a frame, and names what would', async () => {
    using api = connectWith({ limits: { maxFrameBytes: 1000 } });
    await expect(api.length('x'.repeat(1000))).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(await api.length('x'.repeat(900))).toBe(900);
    await expect(api.text(1000)).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      message: expect.stringContaining('list "messageParts"'),
    });
    expect(await api.text(900)).toHaveLength(900);
  });

  test('renews no token, and names what would', async () => {
    using api = connectWith({ token: 'secret' });
    await api.add(1, 2);
    await expect(connection(api).authenticate()).rejects.toThrow('list "renewal"');
  });

  test('makes no call again that is refused because the identity has expired, but may repeat it with another token', async () => {
    const tokens = ['expired', 'valid'];
    let token = '';
    const identify = () => (token === 'expired' ? expiring('ada', 0) : 'ada');
    using api = connectWith({ token: () => (token = tokens.shift()!) }, identify);
    // `retryable` does not depend on the client: any other one would be refused again.
    await expect(api.add(1, 2)).rejects.toMatchObject({ code: 'EXPIRED', retryable: false });
    expect(await api.add(1, 2)).toBe(3);
    expect(tokens).toEqual([]);
  });

  test.each([
    ['references', 'inner'],
    ['streams', 'stream'],
    ['streams', 'promise'],
  ] as const)('rejects a result that needs %s, and names it', async (name, method) => {
    using api = connectWith();
    await expect(api[method]()).rejects.toMatchObject({
      code: 'NOT_CLONEABLE',
      message: expect.stringContaining(`list "${name}" of @lumenize/rpc/extensions in the option "use"`),
    });
    // With the connection the server lets go of what it sent; the next call makes another one.
    expect(connection(api).state).toBe('idle');
    expect(await api.add(1, 2)).toBe(3);
  });
});

describe('a client with some extensions', () => {
  test('takes callbacks and targets with references', async () => {
    using api = connectWith({ use: [references] });
    expect(await api.call((value) => value + 1)).toBe(2);
    const inner = await api.inner();
    expect(await inner.name()).toBe('inner');
    await expect(api.promise()).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
  });

  test('passes what does not fit into a frame with messageParts', async () => {
    using api = connectWith({ use: [messageParts], limits: { maxFrameBytes: 1000 } });
    expect(await api.length('x'.repeat(5000))).toBe(5000);
    expect(await api.text(5000)).toHaveLength(5000);
  });

  test('takes streams without references', async () => {
    using api = connectWith({ use: [streams] });
    for await (const value of await api.stream()) expect(value).toBe('nothing');
    expect(await (await api.promise()).later).toBe(1);
  });

  test('maps on the server with mapping, which needs no references', async () => {
    using api = connectWith({ use: [mapping, subscriptions] });
    expect(await api.row().tags.map((tag) => tag)).toEqual(['a', 'b']);
  });
});
