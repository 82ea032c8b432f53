import { connection } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { describe, expect, test } from 'vitest';

class Api extends RpcTarget {
  echo(value: unknown): unknown {
    return value;
  }

  size(list: unknown[]): number {
    return list.length;
  }

  bytes(length: number): Uint8Array {
    return new Uint8Array(length).fill(length);
  }

  failsWith(length: number): never {
    throw Object.assign(new Error('with bytes'), { bytes: this.bytes(length) });
  }
}

// biome-ignore lint/suspicious/noExplicitAny: stubs are called as untyped code does, too
const connected = (options = {}): any => connectInMemory(new Api(), options);

describe('values that may be sent one by one may be sent in one turn', () => {
  const list = Array.from({ length: 200_000 }, () => []);

  test('with more objects than one of them may have, as arguments', async () => {
    using stub = connected();
    expect(await Promise.all([stub.size(list), stub.size(list), stub.size(list)])).toEqual(Array(3).fill(200_000));
    expect(connection(stub).statistics.framesSent).toBe(3);
  });

  test('with more objects than one of them may have, as results', async () => {
    using stub = connected();
    const results = await Promise.all([stub.echo(list), stub.echo(list), stub.echo(list)]);
    expect(results.map(({ length }) => length)).toEqual(Array(3).fill(200_000));
  });

  test('with more bytes than a message may have', async () => {
    using stub = connected({ limits: { maxMessageBytes: 1000 } });
    const fails = stub.failsWith(500).catch((error: { bytes: Uint8Array }) => error.bytes);
    const results = await Promise.all([stub.bytes(600), stub.bytes(200), stub.bytes(700), fails, stub.bytes(3)]);
    expect(results).toEqual([600, 200, 700, 500, 3].map((length) => new Uint8Array(length).fill(length)));
  });

  test('of few objects in one frame, also where their text is long', async () => {
    using stub = connected();
    const rows = Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}` }));
    await Promise.all(Array.from({ length: 20 }, () => stub.size(rows)));
    expect(connection(stub).statistics.framesSent).toBe(1);
  });
});
