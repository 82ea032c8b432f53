import { runInDurableObject } from 'cloudflare:test';
import { describeFrame } from '@lumenize/inspect';
import { expect, test } from 'vitest';
import { contentOf, type Exchange, exchangeOf, messageOf, VECTORS } from '../../packages/rpc/test/support/vectors.ts';
import { upgrade } from './self-transport.ts';
import { publish, tickerObject } from './topics-support.ts';

/** The epoch of the golden frames. */
const EPOCH = 'k3x9f2.a81b0d';
const EXCHANGES = VECTORS.topics.map(exchangeOf);
/** The object answers this call behind all that it has to say to the frame before. */
const LAST = EXCHANGES.at(-1)!.up;
const LAST_ID = 9;

test('a server answers the golden frames of topics as they say', async () => {
  const [subscribing, publishing, consumed, resuming, unsubscribing, beyond, latest] = EXCHANGES;
  await publish('golden', 'prices', 'a', 'b', 'c');
  const epoch = await runInDurableObject(tickerObject('golden'), ({ prices }) => prices.position[0]);
  const open = () => connected(epoch);
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

/** Opens a socket; what it returns sends a frame and checks the answer. Epochs are drawn, and stand for the golden one. */
async function connected(epoch: string): Promise<(exchange: Exchange) => Promise<void>> {
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
    socket.send(messageOf(up.replaceAll(EPOCH, epoch)));
    socket.send(messageOf(LAST));
    while (!isLast(received.at(-1))) await new Promise<void>((resolve) => (wake = resolve));
    const told = received
      .splice(0, received.length - 1)
      .map((content) => content.replace(/"\w{6}\.\w{6}"/g, `"${EPOCH}"`));
    received.pop();
    expect(told, name).toEqual(down);
  };
}
