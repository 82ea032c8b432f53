import { type ConnectOptions, connect, connection, connectOver } from '@lumenize/rpc';
import { expect, test } from 'vitest';

// Who calls again as soon as a call was refused must not keep everything else from happening, such as that the connection opens.

interface Api {
  ping(): string;
}

// Who listens needs no warning.
const nowhere = (options?: ConnectOptions) =>
  connect<Api>('ws://127.0.0.1:1/rpc/counter/main', { onStateChange: () => {}, ...options });

const throwing = (options?: ConnectOptions) =>
  connectOver<Api>(
    () => {
      throw new Error('mixed content');
    },
    'a test',
    options,
  );

test.each([
  [
    'that was closed',
    'NOT_EXECUTED',
    () => {
      const stub = nowhere();
      connection(stub).close();
      return stub;
    },
  ],
  [
    'for which too many calls wait',
    'OVERLOADED',
    () => {
      const stub = nowhere({ maxQueuedCalls: 1 });
      stub.ping();
      return stub;
    },
  ],
  ['for which too many bytes wait', 'OVERLOADED', () => nowhere({ maxQueuedBytes: 1 })],
  ['whose transport cannot even begin', 'NOT_EXECUTED', () => throwing()],
  [
    'for which there is no token',
    'NOT_EXECUTED',
    () =>
      nowhere({
        maxWaitMs: 0,
        token: () => {
          throw new Error('logged out');
        },
      }),
  ],
])('a connection %s refuses many calls, and lets other tasks run', async (_what, code, make) => {
  using stub = make();
  let isLater = false;
  setTimeout(() => {
    isLater = true;
  });
  let refused = 0;
  while (!isLater && refused < 1000) {
    await expect(stub.ping()).rejects.toMatchObject({ code });
    refused++;
  }
  expect(isLater).toBe(true);
});

test('a chain on a call that was refused is refused too', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: there is no such method
  const stub: any = nowhere();
  connection(stub).close();
  await expect(stub.self().self().ping()).rejects.toMatchObject({ code: 'NOT_EXECUTED' });
});
