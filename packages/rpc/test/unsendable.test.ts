import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { expect, test } from 'vitest';

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
  [
    'a generator',
    (function* () {})(),
    'generators and iterators cannot be cloned: pass an array of what they yield, or an async generator',
  ],
  [
    'an instance of a class',
    new Point(),
    'instances of Point cannot be cloned: register the class, let it extend RpcTarget, or pass a plain object',
  ],
  ['a WeakRef', new WeakRef({}), 'instances of WeakRef cannot be cloned: pass what deref() returns'],
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
