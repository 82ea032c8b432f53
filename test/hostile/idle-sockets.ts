import { once } from 'node:events';
import { inTurn } from '@lumenize/hosts/in-turn';
import { WebSocket } from 'ws';
import { PING, PONG, SUBPROTOCOL } from '../../packages/rpc/src/protocol.ts';

/** How many sockets are opened, or asked, at once. */
const AT_ONCE = 50;

/** Many sockets of clients that mostly idle, each as small as can be. */
export class IdleSockets implements Disposable {
  readonly #url: string;
  readonly #sockets: WebSocket[] = [];

  constructor(url: string) {
    this.#url = url;
  }

  get size(): number {
    return this.#sockets.length;
  }

  /** Opens more, until there are `count`, each of which has made one call then. */
  async grow(count: number): Promise<void> {
    const opened: WebSocket[] = [];
    await inTurn(count - this.size, AT_ONCE, async () => {
      const socket = new WebSocket(this.#url, [SUBPROTOCOL], { perMessageDeflate: false });
      await once(socket, 'open');
      opened.push(socket);
    });
    this.#sockets.push(...opened);
    await askEach(opened, CALL);
  }

  /** Has each make a call; returns what comes back, by how many got it. */
  call(): Promise<Map<string, number>> {
    return askEach(this.#sockets, CALL);
  }

  /** Has each ask for a sign of life; returns how many get it. */
  async beat(): Promise<number> {
    return (await askEach(this.#sockets, PING)).get(PONG) ?? 0;
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.terminate();
  }
}

const CALL = '[1,["lives",[]]]';

async function askEach(sockets: readonly WebSocket[], message: string): Promise<Map<string, number>> {
  const answers = new Map<string, number>();
  await inTurn(sockets.length, AT_ONCE, async (place) => {
    const answer = once(sockets[place], 'message');
    sockets[place].send(message);
    const text = String((await answer)[0]);
    answers.set(text, (answers.get(text) ?? 0) + 1);
  });
  return answers;
}
