import { env, evictDurableObject } from 'cloudflare:test';
import { connection, type Message, type OpenTransport } from '@lumenize/rpc';
import { connectToWorker } from '@lumenize/rpc/testing/workers';
import { describe, expect, test } from 'vitest';
import { bindingTransport, type NativeServer } from '../../packages/rpc/src/transport/binding.ts';

const { ECHO } = env as unknown as Record<string, DurableObjectNamespace>;
const object = () => ECHO.getByName('echo');

const FRAMES: readonly Message[] = ['[1,[0,"increment",[]]]', new Uint8Array([1, 0x83, 0x5b]), '["é – 🙂"]'];

/** The transport of a real socket to the object. */
function socketTransport(path: string): OpenTransport {
  let given: OpenTransport | undefined;
  const wrapTransport = (open: OpenTransport) => {
    given = open;
    return open;
  };
  connection(connectToWorker(object(), path, { wrapTransport })).close();
  return given!;
}

/** Sends frames one after the other, each when the one before has come back, and returns what comes. */
async function echoed(open: OpenTransport, meanwhile: () => Promise<void>): Promise<readonly Message[]> {
  const received: Message[] = [];
  let next = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  const transport = open(
    {
      opened: () => opened.resolve(),
      received: (frame) => {
        received.push(typeof frame === 'string' ? frame : new Uint8Array(frame));
        next.resolve();
      },
      answered: () => {},
      alive: () => {},
      closed: (code, reason) => next.reject(new Error(`${code} ${reason}`)),
    },
    ['lumenize.rpc.2'],
  );
  await opened.promise;
  for (const frame of FRAMES) {
    next = Promise.withResolvers<void>();
    transport.send(frame);
    await next.promise;
    await meanwhile();
  }
  next.promise.catch(() => {});
  transport.close(1000, '');
  return received;
}

describe('frames that are text and frames that are bytes', () => {
  const nothing = async () => {};
  const asleep = () => evictDurableObject(object());

  test.each([
    ['a socket', () => socketTransport('/'), nothing],
    ['a socket of an object that hibernates between them', () => socketTransport('/'), asleep],
    ['a socket that does not hibernate', () => socketTransport('/accept'), nothing],
    ['native calls', () => bindingTransport(() => object() as unknown as NativeServer, '', 'null'), nothing],
  ] as const)('come through %s as they were', async (_name, open, meanwhile) => {
    expect(await echoed(open(), meanwhile)).toEqual(FRAMES);
  });
});
