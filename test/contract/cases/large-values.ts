import { part } from '../case.ts';
import { expect } from '../expect.ts';

const MIB = 1_048_576;

export const LARGE_VALUES = part('large values', [
  {
    name: 'a megabyte of bytes arrives as it left',
    async run({ stub }) {
      const bytes = bytesOf(MIB);
      expect(await stub.echo(bytes)).toEqual(bytes);
    },
  },
  {
    name: 'a value of 20 MiB arrives as it left, split into parts',
    needs: ['largeValues'],
    async run({ stub }) {
      const bytes = bytesOf(20 * MIB);
      expect(await stub.echo(bytes)).toEqual(bytes);
    },
  },
  {
    name: 'text of 10 million characters arrives as it left',
    needs: ['largeValues'],
    async run({ stub }) {
      const text = 'häßlich 0'.repeat(1_111_112);
      expect((await stub.echo(text)) === text).toBe(true);
    },
  },
  {
    name: 'a value above the limit of messages rejects with TOO_LARGE, and nothing of it is sent',
    needs: ['frames', 'largeValues'],
    async run({ stub, frames }) {
      // More than the memory of an object.
      const { up } = await frames(() =>
        expect(stub.echo(new ArrayBuffer(130 * MIB))).rejects.toMatchObject({
          code: 'TOO_LARGE',
        }),
      );
      expect(up).toBe(0);
      expect(await stub.sum(1, 2)).toBe(3);
    },
  },
  {
    name: 'the limit of messages can be set',
    needs: ['largeValues'],
    async run({ connect }) {
      const small = connect({ limits: { maxMessageBytes: 10_000 } });
      await expect(small.echo(new Uint8Array(20_000))).rejects.toMatchObject({ code: 'TOO_LARGE' });
      expect(await small.sum(1, 2)).toBe(3);
    },
  },
  {
    name: 'calls around a large value run in the order they were made',
    needs: ['largeValues', 'state'],
    async run({ stub, untyped }) {
      const results = [stub.add(1), untyped.sizeOf(bytesOf(12 * MIB)), stub.add(10)];
      expect(await Promise.all(results)).toEqual([1, 12 * MIB, 11]);
      expect(await stub.ran()).toEqual(['add', 'sizeOf', 'add']);
    },
  },
  {
    name: 'a large value may hold references and shared objects across its parts',
    needs: ['largeValues', 'references'],
    async run({ untyped }) {
      const counter = await untyped.counter(1);
      const shared = { n: 1 };
      const arrived = await untyped.echo([shared, bytesOf(12 * MIB), shared, counter]);
      expect(arrived[0] === arrived[2]).toBe(true);
      expect(arrived[3] === counter).toBe(true);
    },
  },
  {
    name: 'a callback takes and returns large values',
    needs: ['largeValues', 'callbacks'],
    async run({ untyped }) {
      const bytes = bytesOf(12 * MIB);
      expect(await untyped.callWith((given: Uint8Array) => given, bytes)).toEqual(bytes);
    },
  },
  {
    name: 'the connection serves on after one',
    needs: ['largeValues', 'state'],
    async run({ stub }) {
      await stub.echo(bytesOf(12 * MIB));
      expect(await Promise.all([stub.add(), stub.add()])).toEqual([1, 2]);
    },
  },
]);

/** Bytes that differ from part to part. */
function bytesOf(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index += 997) bytes[index] = index;
  return bytes;
}
