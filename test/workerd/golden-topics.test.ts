import { describeFrame } from '@lumenize/rpc/inspect';
import { expect, test } from 'vitest';
import { contentOf, type Exchange, exchangeOf, messageOf, VECTORS } from '../../packages/rpc/test/support/vectors.ts';
import { upgrade } from './self-transport.ts';
import { publish } from './topics-support.ts';

const EXCHANGES = VECTORS.topics.map(exchangeOf);
/** The object answers this call behind all that it has to say to the frame before. */
const LAST = EXCHANGES.at(-1)!.up;
const LAST_ID = 9;

test('a server answers the golden frames of topics as they say', async () => {
  const [subscribing, publishing, consumed, resuming, unsubscribing, beyond, latest] = EXCHANGES;
  await publish('golden', 'prices', 'a', 'b', 'c');
  let exchange = await open();
  for (const each of [subscribing, publishing, consumed]) await exchange(each);
  exchange = await open();
  await publish('golden', 'prices', 'e');
  await publish('golden', 'latest', 1, 2);
  for (const each of [resuming, unsubscribing, beyond, latest]) await exchange(each);
});

/** Returns true if a frame answers the last call. */
function isLast(content: string | undefined): boolean {
  const frame = content === undefined ? undefined : describeFrame(messageOf(content), 'down');
  return frame?.kind === 'results' && frame.results.some(({ id }) => id === LAST_ID);
}

/** Opens a socket; what it returns sends a frame and checks the answer. */
async function open(): Promise<(exchange: Exchange) => Promise<void>> {
  const socket = await upgrade('/rpc/ticker/golden');
  socket.binaryType = 'arraybuffer';
  const received: string[] = [];
  let wake = () => {};
  socket.addEventListener('message', ({ data }) => {
    received.push(contentOf(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer)));
    wake();
  });
  socket.accept();
  return async ({ name, up, down }) => {
    socket.send(messageOf(up));
    socket.send(messageOf(LAST));
    while (!isLast(received.at(-1))) await new Promise<void>((resolve) => (wake = resolve));
    expect(received.splice(0).slice(0, -1), name).toEqual(down);
  };
}
