interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** A connection to an inspector that speaks the DevTools protocol. */
export class Devtools {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #lastId = 0;

  /** Connects to `url` (`ws://…`); resolves when the socket is open. */
  static async connect(url: string): Promise<Devtools> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', () => reject(new Error(`no inspector at ${url}`)));
    });
    return new Devtools(socket);
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const reply = JSON.parse(String(data)) as Reply;
      if (reply.id === undefined) return;
      this.#waiting.get(reply.id)?.(reply);
      this.#waiting.delete(reply.id);
    });
    socket.addEventListener('close', () => {
      for (const settle of this.#waiting.values()) settle({ error: { message: 'the inspector closed its socket' } });
      this.#waiting.clear();
    });
  }

  /** Asks for `method` and resolves with its result; rejects with what the inspector says against it. */
  ask<Result>(method: string, params: object = {}): Promise<Result> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ result, error }) => {
        if (error) reject(new Error(`${method}: ${error.message}`));
        else resolve(result as Result);
      });
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }

  close(): void {
    this.#socket.close();
  }
}
