/** What sockets carried, without the WebSocket's own framing. */
export interface Traffic {
  framesUp: number;
  framesDown: number;
  bytesUp: number;
  bytesDown: number;
}

/** Counts what every socket made from now on carries, whoever makes it; disposing puts the platform's WebSocket back. */
export function countTraffic(): { readonly traffic: Traffic; readonly sockets: readonly WebSocket[] } & Disposable {
  const platform = globalThis.WebSocket;
  const traffic: Traffic = { framesUp: 0, framesDown: 0, bytesUp: 0, bytesDown: 0 };
  const sockets: WebSocket[] = [];

  class CountingWebSocket extends platform {
    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols);
      sockets.push(this);
      // Before anyone else can listen, so that a frame is counted when whoever waits for it goes on.
      this.addEventListener('message', ({ data }) => {
        traffic.framesDown++;
        traffic.bytesDown += sizeOf(data);
      });
    }

    override send(data: Parameters<WebSocket['send']>[0]): void {
      traffic.framesUp++;
      traffic.bytesUp += sizeOf(data);
      super.send(data);
    }
  }

  globalThis.WebSocket = CountingWebSocket;
  return {
    traffic,
    sockets,
    [Symbol.dispose]() {
      globalThis.WebSocket = platform;
    },
  };
}

function sizeOf(data: string | Blob | ArrayBufferLike | ArrayBufferView): number {
  if (typeof data === 'string') return Buffer.byteLength(data);
  return data instanceof Blob ? data.size : data.byteLength;
}
