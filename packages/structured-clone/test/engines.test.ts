import { readBodies } from '@lumenize/structured-clone';
import { afterEach, describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { FORMS } from './forms.ts';

const restore: (() => void)[] = [];
afterEach(() => {
  for (const undo of restore.splice(0)) undo();
});

/** Has a property of a class be as it is in another engine; undefined where that has none. */
function emulate(prototype: object, name: string, getter: ((this: object, own: unknown) => unknown) | undefined): void {
  const own = Object.getOwnPropertyDescriptor(prototype, name)!;
  restore.push(() => Object.defineProperty(prototype, name, own));
  Reflect.deleteProperty(prototype, name);
  if (getter === undefined) return;
  Object.defineProperty(prototype, name, {
    configurable: true,
    get() {
      return getter.call(this, own.get!.call(this));
    },
  });
}

describe.each(FORMS)('as $name', (form) => {
  test('errors travel where there is no AggregateError, as in older versions of Hermes', () => {
    const own = Object.getOwnPropertyDescriptor(globalThis, 'AggregateError')!;
    restore.push(() => Object.defineProperty(globalThis, 'AggregateError', own));
    Reflect.deleteProperty(globalThis, 'AggregateError');
    class OddError extends RangeError {}
    const [plain, odd] = form.read(form.write([new RangeError('no'), new OddError('odd')])) as Error[];
    expect([plain, odd].map(({ name, message }) => [name, message])).toEqual([
      ['RangeError', 'no'],
      ['RangeError', 'odd'],
    ]);
    expect(odd).toBeInstanceOf(RangeError);
  });

  describe('where requests do not tell their bodies, as in Firefox', () => {
    test.each(['GET', 'HEAD'])('a %s is written without a look for one, and read', (method) => {
      emulate(Request.prototype, 'body', undefined);
      const copy = form.read(form.write(new Request('http://a.test/x', { method, headers: { a: 'b' } }))) as Request;
      expect([copy.url, copy.method, copy.headers.get('a')]).toEqual(['http://a.test/x', method, 'b']);
    });

    test.each([undefined, 'text'])('a POST has its body: %s', async (body) => {
      const request = new Request('http://a.test/x', { method: 'POST', body });
      emulate(Request.prototype, 'body', undefined);
      const bodies = await readBodies([request]);
      const [copy] = form.read(form.write([request], { bodies })) as [Request];
      expect([copy.method, await copy.text()]).toEqual(['POST', body ?? '']);
      restore.splice(0)[0]();
      expect(copy.body === null).toBe(body === undefined);
    });
  });

  test('an engine that says the charset of a text reads the Blobs of others, as Bun does', async () => {
    const { Blob, File } = globalThis;
    const original = [new Blob(['a'], { type: 'text/plain' }), new File(['b'], 'b.html', { type: 'text/html' })];
    const encoding = form.write(original, { bodies: await readBodies(original) });
    emulate(Blob.prototype, 'type', (type) => (`${type}`.startsWith('text/') ? `${type};charset=utf-8` : type));
    const copies = form.read(encoding) as Blob[];
    expect(copies.map(({ type }) => type)).toEqual(['text/plain;charset=utf-8', 'text/html;charset=utf-8']);
    expect(await Promise.all(copies.map((copy) => copy.text()))).toEqual(['a', 'b']);
  });

  test.skipIf('Temporal' in globalThis)('an engine without Temporal says so', () => {
    expect(attempt(() => form.read('{"$":{"$Temporal":["PlainDate","2020-02-29"]}}'))).toMatchObject({
      code: 'NOT_CLONEABLE',
      message: 'Temporal.PlainDate is not accepted here: this engine has no Temporal',
    });
  });

  test('a type that an engine changes in another way is refused as before', async () => {
    const blob = new Blob(['a'], { type: 'text/plain' });
    const encoding = form.write(blob, { bodies: await readBodies(blob) });
    emulate(Blob.prototype, 'type', () => 'text/html');
    expect(() => form.read(encoding)).toThrow('malformed: Blob');
  });
});
