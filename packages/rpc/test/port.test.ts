import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { connection, type Stub } from '@lumenize/rpc';
import { connectPort, RpcTarget, servePort } from '@lumenize/rpc/port';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ContractTarget } from '../../../test/contract/contract-target.ts';

class Target extends RpcTarget {
  readonly #name: string;

  constructor(name: string) {
    super();
    this.#name = name;
  }

  name(): string {
    return this.#name;
  }

  echo(bytes: Uint8Array): Uint8Array {
    return bytes;
  }

  never(): Promise<void> {
    return new Promise(() => {});
  }
}

let here: MessagePort;
let there: MessagePort;

beforeEach(() => {
  ({ port1: here, port2: there } = new MessageChannel());
});
afterEach(() => here.close());

describe('a connection through a port', () => {
  test('waits for the other end to serve', async () => {
    using stub = connectPort<Target>(here);
    const name = stub.name();
    // What is said before anybody serves is lost, as it is with a page that has not loaded.
    there.on('message', () => {});
    await once(there, 'message');
    servePort(there, new Target('late'));
    expect(await name).toBe('late');
  });

  test('is given up where nobody serves', async () => {
    using hasty = connectPort<Target>(here, { openTimeoutMs: 1 });
    await expect(hasty.name()).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: 'nobody has called servePort() at the other end for 1 ms',
    });
    expect(connection(hasty).state).toBe('idle');
    servePort(there, new Target('later'));
    using stub = connectPort<Target>(here);
    expect(await stub.name()).toBe('later');
  });

  test('may wait for ever', async () => {
    using stub = connectPort<Target>(here, { openTimeoutMs: Number.POSITIVE_INFINITY });
    const name = stub.name();
    await new Promise((resolve) => setTimeout(resolve, 5));
    servePort(there, new Target('late'));
    expect(await name).toBe('late');
  });

  test('that cannot be posted to is given up at once, and nothing is left behind', async () => {
    const listeners = new Set<unknown>();
    const refusing = {
      postMessage: () => {
        throw new SyntaxError('Invalid target origin');
      },
      addEventListener: (_type: string, listener: unknown) => void listeners.add(listener),
      removeEventListener: (_type: string, listener: unknown) => void listeners.delete(listener),
    };
    const uncaught: unknown[] = [];
    const listen = (error: unknown) => uncaught.push(error);
    process.on('uncaughtException', listen);
    using stub = connectPort<Target>(refusing, { openTimeoutMs: 1 });
    await expect(stub.name()).rejects.toThrow('Invalid target origin');
    expect(listeners.size).toBe(0);
    // Behind the timer, had it been left.
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('uncaughtException', listen);
    expect(uncaught).toEqual([]);
  });

  test('transfers the bytes of its frames', async () => {
    const transferred: number[] = [];
    const post = here.postMessage.bind(here);
    here.postMessage = (message: unknown[], transfer: ArrayBuffer[]) => {
      post(message, transfer);
      // A buffer that was transferred has no bytes any more on this side.
      transferred.push(...transfer.map(({ byteLength }) => byteLength));
    };
    servePort(there, new Target('one'));
    using stub = connectPort<Target>(here);
    expect((await stub.echo(new Uint8Array(1_000_000))).length).toBe(1_000_000);
    expect(transferred).toEqual([0]);
  });

  test('counts the bytes that it has transferred', async () => {
    const asked = vi.fn();
    const post = there.postMessage.bind(there);
    there.postMessage = (message: unknown, transfer: never) => {
      if (String(message).includes('{"read":')) asked();
      post(message, transfer);
    };
    servePort(there, new Target('one'), { limits: { maxBytesInFlight: 80_000 } });
    using stub = connectPort<Target>(here);
    await stub.echo(new Uint8Array(50_000));
    await vi.waitUntil(() => asked.mock.calls.length > 0);
  });

  test('posts a frame of text as one text, which is cloned quicker than a list', async () => {
    const posted: unknown[] = [];
    for (const port of [here, there]) {
      const post = port.postMessage.bind(port);
      port.postMessage = (message: unknown, transfer: ArrayBuffer[]) => {
        posted.push(message);
        post(message, transfer);
      };
    }
    servePort(there, new Target('one'));
    using stub = connectPort<Target>(here);
    await stub.name();
    await stub.name();
    const [up, down] = posted.slice(-2);
    expect(up).toMatch(/^lumenize\.rpc server \w+ \[2,\["name",\[\]\]\]$/);
    expect(down).toBe(`lumenize.rpc client ${String(up).split(' ')[2]} [-2,"one"]`);
  });

  test('ignores what others say on the port', async () => {
    using _served = servePort(there, new Target('one'));
    using stub = connectPort<Target>(here);
    const strange = [
      null,
      'text',
      {},
      [],
      ['lumenize.rpc'],
      ['lumenize.rpc', 'server', 1, 2],
      ['lumenize.rpc', 'client'],
      'lumenize.rpc server',
      'lumenize.rpc client ',
      'lumenize.rpc server one',
    ];
    for (const message of strange) {
      here.postMessage(message);
      there.postMessage(message);
    }
    expect(await stub.name()).toBe('one');
    expect(connection(stub).statistics.framesReceived).toBe(1);
  });

  test('shares the port with one in the other direction, and with others', async () => {
    using _served = servePort(there, new Target('there'));
    using _servedToo = servePort(here, new Target('here'));
    using one = connectPort<Target>(here);
    using two = connectPort<Target>(here);
    using back = connectPort<Target>(there);
    expect(await Promise.all([one.name(), two.name(), back.name()])).toEqual(['there', 'there', 'here']);
    one[Symbol.dispose]();
    expect(await two.name()).toBe('there');
  });

  test('ends when the other end stops to serve, and begins again when it serves', async () => {
    const served = servePort(there, new Target('first'));
    using stub = connectPort<Target>(here);
    await stub.name();
    const never = stub.never();
    const outcome = expect(never).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await stub.name();
    served[Symbol.dispose]();
    await outcome;
    expect(connection(stub).state).toBe('idle');
    const name = stub.name();
    servePort(there, new Target('second'));
    expect(await name).toBe('second');
  });

  test('ends when the port is closed', async () => {
    servePort(there, new Target('one'));
    using stub = connectPort<Target>(here);
    await stub.name();
    const outcome = expect(stub.never()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await stub.name();
    there.close();
    await outcome;
  });

  test('refuses what is no port', () => {
    for (const port of [null, {}, { postMessage() {} }]) {
      expect(() => connectPort(port as never)).toThrow('a port is a MessagePort, a Worker');
    }
    expect(() => servePort(here, { not: 'a target' })).toThrow('extends RpcTarget, not of Object');
  });

  test('of another version is refused', async () => {
    servePort(there, new Target('one'));
    const answers: unknown[] = [];
    here.on('message', (message) => answers.push(message));
    here.postMessage(['lumenize.rpc', 'server', 'old', ['open', 0]]);
    while (answers.length < 2) await once(here, 'message');
    expect(answers[1]).toEqual([
      'lumenize.rpc',
      'client',
      'old',
      ['close', 4400, expect.stringContaining('VERSION_MISMATCH: ')],
    ]);
  });
});

describe('a thread', () => {
  let worker: Worker;
  let stub: Stub<ContractTarget>;

  beforeEach(() => {
    worker = new Worker(new URL('../../../test/support/port-worker.ts', import.meta.url), {
      execArgv: ['--conditions=@lumenize/source'],
    });
    stub = connectPort<ContractTarget>(worker);
  });
  afterEach(async () => {
    connection(stub).close();
    await worker.terminate();
  });

  test('is called like a port', async () => {
    expect(await Promise.all([stub.add(), stub.add(4)])).toEqual([1, 5]);
  });

  test('that ends settles its calls', async () => {
    const outcome = expect(stub.held(1)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await stub.ran();
    worker.postMessage('end');
    await outcome;
  });
});
