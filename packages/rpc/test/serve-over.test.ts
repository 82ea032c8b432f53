import { connection, connectOver, withOptions } from '@lumenize/rpc';
import { callContext, RpcTarget, serveOver } from '@lumenize/rpc/server';
import { describe, expect, test } from 'vitest';
import type { OpenTransport, Served, Transport } from '../src/transport/transport.ts';

class Target extends RpcTarget {
  who(): unknown {
    return callContext().caller!.identity;
  }

  async ask(question: () => Promise<number>): Promise<number> {
    return (await question()) + 1;
  }

  never(): Promise<void> {
    return new Promise(() => {});
  }
}

/** A transport of an application's own, whose messages take a task each. */
function pair(serve: (transport: Transport) => Served): { open: OpenTransport; cut(): void } {
  let cut = () => {};
  const open: OpenTransport = (events) => {
    let isOver = false;
    const later = (job: () => void) => void setTimeout(() => isOver || job());
    const end = (code: number, reason: string) => {
      isOver = true;
      served.closed();
      events.closed(code, reason);
    };
    const close = (code: number, reason: string) => later(() => end(code, reason));
    const served = serve({ send: (message) => later(() => events.received(message)), close });
    later(() => events.opened());
    cut = () => end(1006, 'cut');
    return { send: (message) => later(() => served.receive(message)), close };
  };
  return { open, cut: () => cut() };
}

describe("a transport of one's own", () => {
  const serve = (transport: Transport) => serveOver(transport, new Target(), { identity: { user: 'ada' } });

  test('carries calls in both directions, for the identity that was given', async () => {
    using stub = connectOver<Target>(pair(serve).open as never, 'a pair');
    expect(await stub.who()).toEqual({ user: 'ada' });
    expect(await stub.ask(async () => 1)).toBe(2);
  });

  test('that ends settles calls, and the next one connects again', async () => {
    const { open, cut } = pair(serve);
    using stub = connectOver<Target>(open as never, 'a pair');
    const never = expect(stub.never()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await stub.who();
    cut();
    await never;
    expect(connection(stub).state).toBe('idle');
    expect(await stub.who()).toEqual({ user: 'ada' });
  });

  test('tells the server of calls that are given up', async () => {
    const aborted = Promise.withResolvers<void>();
    class Waiting extends RpcTarget {
      wait(): Promise<void> {
        callContext().signal.addEventListener('abort', () => aborted.resolve());
        return new Promise(() => {});
      }
    }
    const { open } = pair((transport) => serveOver(transport, new Waiting()));
    using stub = connectOver<Waiting>(open as never, 'a pair');
    await expect(withOptions(stub, { timeoutMs: 20 }).wait()).rejects.toMatchObject({ code: 'TIMED_OUT' });
    await aborted.promise;
  });

  test('serves targets only', () => {
    expect(() => serveOver({ send() {}, close() {} }, {})).toThrow('serveOver() needs an instance of a class');
  });
});
