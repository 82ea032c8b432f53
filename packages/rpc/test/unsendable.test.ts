import { connection, RpcError } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { describe, expect, test } from 'vitest';

class Echo extends RpcTarget {
  echo(value: unknown): unknown {
    return value;
  }
  none(): Response {
    return Response.error();
  }
}

class Point {
  x = 1;
}

test.each<[name: string, value: unknown, message: string]>([
  ['a generator', (function* () {})(), 'iterators and streams cannot be cloned: pass an array of what they yield'],
  [
    'an instance of a class',
    new Point(),
    'instances of Point cannot be cloned: register the class, or pass a plain object',
  ],
  ['a WeakRef', new WeakRef({}), 'instances of WeakRef cannot be cloned: register the class, or pass a plain object'],
])('%s is refused as an argument, and the error says where and what to do', async (_name, value, message) => {
  using api = connectInMemory(new Echo());
  await expect(api.echo({ in: [value] })).rejects.toMatchObject({
    code: 'NOT_CLONEABLE',
    message: `echo(): at argument 0.in[0]: ${message}`,
  });
});

test('a response that no constructor makes anew fails its own call only', async () => {
  using api = connectInMemory(new Echo());
  const failed = expect(api.none()).rejects.toMatchObject({
    code: 'NOT_CLONEABLE',
    message: 'the result of none(): at value: responses of status 0 cannot be cloned',
  });
  expect(await api.echo('still here')).toBe('still here');
  await failed;
});

describe('what is thrown', () => {
  class Thrower extends RpcTarget {
    throwBlob(): never {
      throw new Blob(['why'], { type: 'text/plain' });
    }
    async throwFile(): Promise<never> {
      throw new File(['why'], 'why.txt');
    }
    throwRequest(): never {
      throw new Request('https://example.test/', { method: 'POST', body: 'why' });
    }
    throwWithin(): never {
      throw Object.assign(new Error('outer'), { detail: new Blob(['why']) });
    }
    throwWithData(): never {
      throw new RpcError('DENIED', 'no', { data: new Blob(['why']) });
    }
    add(): number {
      return 1;
    }
  }

  test('may hold Blobs and the like, and is told once', async () => {
    const told: unknown[] = [];
    using stub = connectInMemory<Thrower>(new Thrower(), { onError: (error) => told.push(error) });
    const thrown = (promise: Promise<unknown>) => promise.then(undefined, (error: unknown) => error);
    const [blob, file, request, within, data, sum] = await Promise.all([
      thrown(stub.throwBlob()),
      thrown(stub.throwFile()),
      thrown(stub.throwRequest()),
      thrown(stub.throwWithin()),
      thrown(stub.throwWithData()),
      stub.add(),
    ]);
    expect([await (blob as Blob).text(), await (file as File).text(), (file as File).name]).toEqual([
      'why',
      'why',
      'why.txt',
    ]);
    expect(await (request as Request).text()).toBe('why');
    expect(await (within as { detail: Blob }).detail.text()).toBe('why');
    expect(await (data as { data: Blob }).data.text()).toBe('why');
    expect(sum).toBe(1);
    expect(told).toHaveLength(5);
  });
});

test('nothing is sent for a call whose arguments turn out later to be none that can be sent', async () => {
  using api = connectInMemory(new Echo());
  await api.echo(1);
  const { framesSent } = connection(api).statistics;
  const used = new Response('read');
  await used.text();
  await expect(api.echo(used)).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
  await new Promise((resolve) => setTimeout(resolve));
  expect(connection(api).statistics).toMatchObject({ framesSent });
  expect(await api.echo(2)).toBe(2);
});

test('a result of the client in a result that cannot be sent is left alone', async () => {
  const calls: string[] = [];
  class Loan extends RpcTarget {
    return(): void {
      calls.push('return');
    }
    end(): void {
      calls.push('end');
    }
  }
  class Library extends RpcTarget {
    async lend(lender: () => Loan): Promise<unknown[]> {
      return [{ loan: lender() }, Symbol('cannot be sent')];
    }
    lendAgain(lender: () => { end(): Promise<void> }): Promise<void> {
      return lender().end();
    }
  }
  // biome-ignore lint/suspicious/noExplicitAny: tested untyped
  using library = connectInMemory(new Library()) as any;
  await expect(library.lend(() => new Loan())).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
  await library.lendAgain(() => new Loan());
  expect(calls).toEqual(['end']);
});
