import { expect, test } from 'vitest';
import { TOPIC_EXCHANGES, type TopicExchange } from '../../packages/rpc/test/support/golden-topics.ts';
import { upgrade } from './self-transport.ts';
import { publish } from './topics-support.ts';

test('a server answers the golden frames of topics as they say', async () => {
  const [subscribing, publishing, consumed, resuming, unsubscribing, ...others] = TOPIC_EXCHANGES;
  await publish('golden', 'prices', 'a', 'b', 'c');
  let exchange = await open();
  for (const each of [subscribing, publishing, consumed]) await exchange(each);
  exchange = await open();
  await publish('golden', 'prices', 'e');
  await publish('golden', 'latest', 1, 2);
  for (const each of [resuming, unsubscribing, ...others]) await exchange(each);
});

/** Opens a socket; what it returns sends a frame and checks the answer. */
async function open(): Promise<(exchange: TopicExchange) => Promise<void>> {
  const socket = await upgrade('/rpc/ticker/golden');
  socket.binaryType = 'arraybuffer';
  const received: string[] = [];
  let wake = () => {};
  socket.addEventListener('message', ({ data }) => {
    received.push(typeof data === 'string' ? data : hex(new Uint8Array(data as ArrayBuffer)));
    wake();
  });
  socket.accept();
  return async ({ name, up, down }) => {
    socket.send(bytes(up));
    // The object answers this behind all that it has to say to the frame.
    socket.send(bytes('098300488073657175656e636508'));
    while (!received.at(-1)?.startsWith('09')) await new Promise<void>((resolve) => (wake = resolve));
    expect(received.splice(0).slice(0, -1), name).toEqual(down);
  };
}

function hex(from: Uint8Array): string {
  return Array.from(from, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function bytes(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g)!, (pair) => Number.parseInt(pair, 16));
}
