import { connectOver } from '@lumenize/rpc/core';
import { webValues } from '@lumenize/rpc/extensions';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { expect, test } from 'vitest';
import { probedTransport } from './support/probed-transport.ts';
import { until } from './support/serve.ts';

interface Api {
  echo(value: unknown): unknown;
}

/** Connects a core with such extensions. */
async function connected(use: NonNullable<Parameters<typeof connectOver>[2]>['use']) {
  const { open, attempts } = probedTransport();
  const stub = connectOver<Api>(open, 'a test', { use, eager: true });
  await until(() => attempts.length === 1);
  attempts[0].opened();
  return { stub, ...attempts[0] };
}

test('a core client carries common values, and says of others which extension brings them', async () => {
  const { stub, sent, received } = await connected([]);
  void stub.echo([new Date(0), new Map([[1, new Set([2n])]]), new Uint8Array([3])]).then(undefined, () => {});
  await until(() => sent.length === 1);
  const refusal = { code: 'NOT_CLONEABLE', message: expect.stringContaining('list "webValues"') };
  for (const other of [new URL('http://a.test/'), /a/, [1, , 2], Object(1)]) {
    await expect(stub.echo({ other })).rejects.toMatchObject(refusal);
  }
  const answer = stub.echo(1);
  await until(() => sent.length === 2);
  received('[2,{"$":[{"$URL":["http://b.test/"]}]}]');
  await expect(answer).rejects.toMatchObject(refusal);
});

test('with webValues it carries those of the web, both ways', async () => {
  const { stub, sent, received } = await connected([webValues]);
  const answer = stub.echo(new URL('http://a.test/'));
  await until(() => sent.length === 1);
  expect(sent[0]).toBe('[1,{"$":[0,"echo",[{"$URL":["http://a.test/"]}]]}]');
  received('[1,{"$":[{"$URL":["http://b.test/"]}]}]');
  expect(`${await answer}`).toBe('http://b.test/');
});

test('what is beside a Blob in arguments arrives as it was when the call was made', async () => {
  class Api extends RpcTarget {
    async both(blob: Blob, list: number[], request?: Request) {
      return [await blob.text(), list, await request?.text()];
    }
  }
  using api = connectInMemory(new Api());
  const list = [1];
  const request = new Request('http://a.test/', { method: 'POST', body: 'c' });
  const answers = [api.both(new Blob(['a']), list, request), api.both(new Blob(['b']), list)];
  list.push(2);
  expect(await Promise.all(answers)).toEqual([
    ['a', [1], 'c'],
    ['b', [1], undefined],
  ]);
});

test('what is beside a Blob in a result or an error arrives as it was when the call ended', async () => {
  class Api extends RpcTarget {
    readonly list = [1];
    readonly form = new FormData();
    result() {
      this.form.set('file', new File(['b'], 'b.txt'));
      return { blob: new Blob(['a']), list: this.list, form: this.form, call: () => this.list.length };
    }
    failure() {
      throw Object.assign(new RangeError('no'), { blob: new Blob(['a']), list: this.list });
    }
    change() {
      this.list.push(2);
      this.form.set('file', 'changed');
    }
  }
  using api = connectInMemory(new Api());
  const failed = api.failure().catch((error: unknown) => error);
  const [{ blob, list, form, call }] = await Promise.all([api.result(), api.change()]);
  expect([await blob.text(), list, await (form.get('file') as File).text()]).toEqual(['a', [1], 'b']);
  expect(await call()).toBe(2);
  expect(await failed).toMatchObject({ name: 'RangeError', message: 'no', list: [1], blob: expect.any(Blob) });
});

test('bodies in a target stay there when it travels with a Blob', async () => {
  class Page extends RpcTarget {
    readonly used = new Response('used');
    readonly unread = new Response('unread');
    async result() {
      await this.used.text();
      return { page: this, list: [new Blob(['read'])] };
    }
    text() {
      return this.unread.text();
    }
  }
  const page = new Page();
  const { body } = page.unread;
  const { page: stub, list } = await connectInMemory(page).result();
  expect([await list[0].text(), page.unread.body === body]).toEqual(['read', true]);
  expect(await stub.text()).toBe('unread');
});
