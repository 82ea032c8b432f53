import { resolveObjectURL } from 'node:buffer';
import { openAsBlob } from 'node:fs';
import { encode, readBodies } from '@lumenize/structured-clone';
import { describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { FORMS } from './forms.ts';
import { contentOf, PLATFORM_MADE } from './platform-made.ts';

/** What Node has besides. */
const OF_NODE: typeof PLATFORM_MADE = {
  'a file of the disk': () => openAsBlob(import.meta.filename),
  'a slice of a file of the disk': async () => (await openAsBlob(import.meta.filename)).slice(7, 12),
  'the Blob of an object URL': () => resolveObjectURL(URL.createObjectURL(new Blob(['hello'])))!,
  'a Blob of a port': async () => {
    const { port1, port2 } = new MessageChannel();
    const arrived = new Promise<Blob>((resolve) => {
      port2.onmessage = ({ data }) => resolve(data);
    });
    port1.postMessage(new Blob(['hello']).slice(1));
    const blob = await arrived;
    port1.close();
    return blob;
  },
};

describe.each(FORMS)('as $name', (form) => {
  test.each(Object.entries({ ...PLATFORM_MADE, ...OF_NODE }))('%s arrives as it left', async (_name, make) => {
    const value = await make();
    const bodies = await readBodies([value]);
    const [copy] = form.read(form.write([value], { bodies })) as [object];
    expect(await contentOf(copy)).toEqual(await contentOf(value));
  });

  test('a Blob with a constructor that is not that of its class is refused, since it would be lost', async () => {
    for (const constructor of [File, 'x', undefined]) {
      const blob = Object.assign(new Blob(['x']), { constructor });
      const bodies = await readBodies(blob);
      expect(attempt(() => form.write(blob, { bodies }))).toMatchObject({
        code: 'NOT_CLONEABLE',
        message: expect.stringContaining('named properties'),
      });
    }
  });
});

const BUFFER: unique symbol = Symbol('buffer');

// As happy-dom has it.
test('a Blob of a library that imitates the platform is refused with what it is', async () => {
  const Imitated = {
    Blob: class Blob {
      readonly type = 'text/plain';
      readonly [BUFFER] = new Uint8Array(1);
      get size() {
        return 1;
      }
      async arrayBuffer() {
        return new ArrayBuffer(1);
      }
    },
  };
  const error = attempt(() => encode({ files: [new Imitated.Blob()] })) as Error;
  expect(error).toMatchObject({ code: 'NOT_CLONEABLE', path: 'value.files[0]' });
  expect(error.message).toBe(
    'at value.files[0]: instances of Blob cannot be cloned: pass a real one: this is a Proxy, of a library, detached or cut off',
  );
});

test('bodies of another window or context are read', async () => {
  class Other extends Blob {}
  const blob = new Blob(['hello']);
  const foreign = Object.create(Object.create(Object.prototype), {
    [Symbol.toStringTag]: { value: 'Blob' },
    arrayBuffer: { value: () => blob.arrayBuffer() },
  });
  const map = new Map([['blob', foreign]]);
  const bodies = await readBodies([foreign, map, new Other(['x'])]);
  expect([...bodies.values()].map(({ length }) => length).sort()).toEqual([1, 5]);
});
