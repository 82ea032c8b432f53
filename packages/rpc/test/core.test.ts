import { allTypes, connectOver, mapping, type Part, references, streams } from '@lumenize/rpc/core';
import { RpcTarget } from '@lumenize/rpc/server';
import { describe, expect, test } from 'vitest';
import { Session } from '../src/server/session.ts';
import { serverSettings } from '../src/server/settings.ts';
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
  async *stream() {
    yield 1;
  }
  echo(value: unknown) {
    return value;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: stubs are called as untyped code does, too
function connectWith(...parts: readonly Part[]): any {
  const settings = serverSettings({ onError: () => {} });
  const open = memoryTransport((channel) => new Session(settings, new Api(), channel));
  return connectOver(open, 'a target in memory', { with: parts });
}

const needs = (name: string) => ({
  code: 'NOT_CLONEABLE',
  message: expect.stringContaining(`list "${name}" of @lumenize/rpc/core in the option "with"`),
});

describe('a client without parts', () => {
  test('calls and chains', async () => {
    using api = connectWith();
    expect(await Promise.all([api.add(1, 2), api.row().id, api.inner().name()])).toEqual([3, 7, 'inner']);
    expect(await api.row()).toEqual(new Api().row());
    await expect(api.fails()).rejects.toThrow(new RangeError('no'));
  });

  test('goes on from results that have arrived', async () => {
    using api = connectWith();
    const row = api.row();
    await row;
    expect(await Promise.all([row.id, row.tags[1], row.seen.size])).toEqual([7, 'b', 1]);
    await expect(row.missing()).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
  });

  test.each([
    ['references', () => 1],
    ['references', new Inner()],
    ['streams', new ReadableStream()],
    ['streams', new WritableStream()],
    ['streams', (async function* () {})()],
  ])('refuses to send what needs %s, names it, and goes on', async (name, value) => {
    using api = connectWith();
    await expect(api.call(value)).rejects.toMatchObject(needs(name));
    expect(await api.add(1, 2)).toBe(3);
  });

  test.each([
    ['references', 'inner'],
    ['streams', 'stream'],
  ])('rejects a result that needs %s, names it, and goes on', async (name, method) => {
    using api = connectWith();
    await expect(api[method]()).rejects.toMatchObject(needs(name));
    expect(await api.add(1, 2)).toBe(3);
  });
});

describe('a client with some parts', () => {
  test('takes callbacks and targets with references', async () => {
    using api = connectWith(references);
    expect(await api.call((value: number) => value + 1)).toBe(2);
    expect(await (await api.inner()).name()).toBe('inner');
    await expect(api.stream()).rejects.toMatchObject(needs('streams'));
  });

  test('reads streams with streams', async () => {
    using api = connectWith(streams);
    const chunks: unknown[] = [];
    for await (const chunk of await api.stream()) chunks.push(chunk);
    expect(chunks).toEqual([1]);
  });

  test('maps on the server with mapping, in whatever order the parts are', async () => {
    using api = connectWith(references, mapping);
    expect(await api.row().tags.map((tag: string) => ({ tag }))).toEqual([{ tag: 'a' }, { tag: 'b' }]);
  });

  test('passes values of other types with allTypes', async () => {
    const url = new URL('https://example.com/');
    await expect(connectWith().echo(url)).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
    using api = connectWith(allTypes);
    expect(await api.echo(url)).toEqual(url);
  });
});
