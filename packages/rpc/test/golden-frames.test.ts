import { readFileSync, writeFileSync } from 'node:fs';
import { withOptions } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { describe, expect, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: stubs are called as untyped code does, too
type Any = any;

class Order extends RpcTarget {
  get id(): number {
    return 7;
  }
}

class Target extends RpcTarget {
  #value = 0;

  static readonly rpc = { room: { restorable: true } };

  increment(by = 1): number {
    this.#value += by;
    return this.#value;
  }

  get value(): number {
    return this.#value;
  }

  data() {
    return { deep: { name: 'Ada' } };
  }

  order(): Order {
    return new Order();
  }

  room(_name: string): Order {
    return new Order();
  }

  add(a: number, b: number): number {
    return a + b;
  }

  isMe(other: unknown): boolean {
    return other === this;
  }

  nothing(): void {}

  bytes(): Uint8Array {
    return new Uint8Array([1, 2, 3]);
  }

  fails(): never {
    throw new RangeError('no');
  }

  async asks(question: (text: string) => Promise<number>): Promise<number> {
    return question('how many?');
  }

  list(): number[] {
    return [1, 2];
  }

  never(): Promise<never> {
    return new Promise(() => {});
  }
}

/** What a client does, one thing after the other. */
const PROGRAMS: Readonly<Record<string, (stub: Any) => unknown>> = {
  'a call: increment()': (stub) => stub.increment(),
  'a call with an argument: increment(5)': (stub) => stub.increment(5),
  'a read: value': (stub) => stub.value,
  'two calls of one turn': (stub) => Promise.all([stub.increment(), stub.increment(10)]),
  'a chain: data().deep.name': (stub) => stub.data().deep.name,
  'a result as an argument: add(increment(), 2)': (stub) => stub.add(stub.increment(), 2),
  'nothing: nothing()': (stub) => stub.nothing(),
  'a date: isMe(new Date(0))': (stub) => stub.isMe(new Date(0)),
  'bytes there: isMe(bytes)': (stub) => stub.isMe(new Uint8Array([1, 2])),
  'bytes back: bytes()': (stub) => stub.bytes(),
  'a call that throws: fails()': (stub) => stub.fails().catch(() => {}),
  'a reference, and a read on it: order(), then id': async (stub) => {
    const order = await stub.order();
    await order.id;
    order[Symbol.dispose]();
    await stub.value;
  },
  'a step that is used in a later turn: order().id, then id': async (stub) => {
    const order = stub.order();
    await order.id;
    await order.id;
  },
  'a place, used twice: room("a"), then id': async (stub) => {
    const room = await stub.room('a');
    await room.id;
  },
  'the target itself as an argument: isMe(stub)': (stub) => stub.isMe(stub),
  'a callback: asks(() => 3)': (stub) => stub.asks(() => 3),
  'a recorded callback: list().map((n) => add(n, 1))': (stub) => stub.list().map((n: Any) => stub.add(n, 1)),
  'a call that is given up': async (stub) => {
    await stub.value;
    const controller = new AbortController();
    const call = (withOptions(stub, { signal: controller.signal }) as Any).never();
    await stub.value;
    controller.abort();
    await call.catch(() => {});
    await stub.value;
  },
};

/** Runs a program over a connection of its own, and returns its messages in order. */
async function framesOf(program: (stub: Any) => unknown): Promise<string[]> {
  const frames: string[] = [];
  const shown = (message: string | Uint8Array) => (typeof message === 'string' ? message : show(message));
  const stub: Any = connectInMemory(new Target(), {
    wrapTransport: (open) => (events, offer) => {
      const transport = open(
        {
          ...events,
          received(message) {
            frames.push(`down ${shown(message)}`);
            events.received(message);
          },
        },
        offer,
      );
      return {
        ...transport,
        send(message) {
          frames.push(`up   ${shown(message)}`);
          transport.send(message);
        },
      };
    },
  });
  await program(stub);
  stub[Symbol.dispose]();
  return frames;
}

/** Shows a message with bytes: its text, and in hexadecimal the bytes behind it. */
function show(message: Uint8Array): string {
  const end = 4 + new DataView(message.buffer, message.byteOffset).getUint32(0);
  const tail = [...message.subarray(end)].map((byte) => byte.toString(16).padStart(2, '0'));
  return `${new TextDecoder().decode(message.subarray(4, end))} + ${tail.join(' ')}`;
}

const file = new URL('./vectors/frames.json', import.meta.url);
const protocol = new URL('../../../docs/internals/protocol.md', import.meta.url);

describe('golden frames', () => {
  const golden: Record<string, string[]> = process.env.UPDATE_GOLDEN ? {} : JSON.parse(readFileSync(file, 'utf8'));

  test.each(Object.entries(PROGRAMS))('%s', async (name, program) => {
    const frames = await framesOf(program);
    if (process.env.UPDATE_GOLDEN) golden[name] = frames;
    expect(frames).toEqual(golden[name]);
  });

  test('are what docs/internals/protocol.md shows', () => {
    if (process.env.UPDATE_GOLDEN) writeFileSync(file, `${JSON.stringify(golden, undefined, 2)}\n`);
    const shown = Object.entries(golden).map(([name, frames]) =>
      [name, ...frames.map((frame) => `  ${frame}`)].join('\n'),
    );
    const text = readFileSync(protocol, 'utf8');
    const begin = text.indexOf('## Examples');
    const examples = `## Examples\n\nThe target has the members of [the test](../../packages/rpc/test/golden-frames.test.ts).\n\n\`\`\`text\n${shown.join('\n\n')}\n\`\`\`\n`;
    if (process.env.UPDATE_GOLDEN) writeFileSync(protocol, text.slice(0, begin) + examples);
    else expect(text.slice(begin)).toBe(examples);
  });

  test('a lone increment() takes at most 20 bytes up and 10 down', async () => {
    const [up, down] = await framesOf((stub) => stub.increment());
    expect(up.length - 'up   '.length).toBeLessThanOrEqual(20);
    expect(down.length - 'down '.length).toBeLessThanOrEqual(10);
  });
});
