import { NO_TRAFFIC, sizeOf, type Traffic } from './traffic.ts';

/** What all sockets carried so far, by the first part of the path that they lead to. */
const counts = new Map<string, { -readonly [Name in keyof Traffic]: number }>();

/** The platform's WebSocket, with its frames counted. In this page's racing Worker it stands in its place, for both libraries. */
export class CountedWebSocket extends WebSocket {
  readonly #traffic: { -readonly [Name in keyof Traffic]: number };

  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols);
    const key = keyOf(url);
    this.#traffic = counts.get(key) ?? { ...NO_TRAFFIC };
    counts.set(key, this.#traffic);
    // Before anyone else can listen, so that a frame is counted when whoever waits for it goes on.
    this.addEventListener('message', ({ data }) => {
      this.#traffic.framesDown++;
      this.#traffic.bytesDown += sizeOf(data);
    });
  }

  override send(data: Parameters<WebSocket['send']>[0]): void {
    this.#traffic.framesUp++;
    this.#traffic.bytesUp += sizeOf(data);
    super.send(data);
  }
}

/** What sockets to URLs like this carried so far. */
export function trafficTo(url: string): Traffic {
  return { ...NO_TRAFFIC, ...counts.get(keyOf(url)) };
}

function keyOf(url: string | URL): string {
  return new URL(url).pathname.split('/')[1];
}
