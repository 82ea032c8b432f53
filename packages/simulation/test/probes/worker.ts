// An object without the library, which says what the platform does to it. It runs on workerd, and on the simulated platform.

import type { Context, Socket } from './platform-types.ts';

declare const WebSocketPair: new () => { 0: Socket; 1: Socket };
declare const WebSocketRequestResponsePair: new (request: string, response: string) => object;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const saying = (job: () => unknown) => {
  try {
    return job() ?? 'done';
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
};

export class Probe {
  readonly #ctx: Context;
  /** What happened in this life. */
  readonly #log: unknown[] = [];

  constructor(ctx: Context) {
    this.#ctx = ctx;
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const path = pathname.split('/').at(-1)!;
    if (path === 'log') return Response.json(this.#log);
    if (path === 'refused') {
      const { 0: theirs, 1: ours } = new WebSocketPair();
      ours.accept();
      ours.send('no');
      ours.close(4400, 'refused');
      return new Response(null, { status: 101, webSocket: theirs } as ResponseInit);
    }
    if (path === 'socket' || path === 'accepted') return this.#open(path, searchParams.getAll('tag'));
    const probe = this.#probes[path];
    try {
      return Response.json((await probe(searchParams)) ?? null);
    } catch (error) {
      return Response.json(`thrown: ${(error as Error).message}`);
    }
  }

  #open(how: string, tags: string[]): Response {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    if (how === 'socket') this.#ctx.acceptWebSocket(ours, tags);
    else {
      ours.accept();
      ours.addEventListener('message', ({ data }) => this.webSocketMessage(ours, data));
      ours.addEventListener('close', ({ code, wasClean }) =>
        this.#log.push(['close', code, wasClean, ours.readyState]),
      );
      ours.addEventListener('error', () => this.#log.push(['error', ours.readyState]));
    }
    return new Response(null, { status: 101, webSocket: theirs } as ResponseInit);
  }

  async webSocketMessage(socket: Socket, text: string): Promise<void> {
    const [name, ...args] = text.split(' ');
    this.#log.push(['message', text, socket.readyState]);
    switch (name) {
      case 'close':
        this.#log.push(
          saying(() => socket.close(Number(args[0]), 'told to')),
          socket.readyState,
          saying(() => socket.send('after close')),
          saying(() => socket.close(1000)),
          this.#ctx.getWebSockets().length,
        );
        return;
      case 'throw':
        throw new Error('told to');
      case 'abort':
        return this.#ctx.abort('told to');
      case 'increment': {
        const value = ((await this.#ctx.storage.get('value')) as number | undefined) ?? 0;
        await this.#ctx.storage.put('value', value + 1);
        socket.send(`value ${value + 1}`);
        return;
      }
      case 'slow':
        await sleep(20);
        this.#log.push(`slow ${args[0]}`);
        socket.send(`slow ${args[0]}`);
        return;
      case 'block':
        await this.#ctx.blockConcurrencyWhile(async () => {
          this.#log.push('blocks');
          await sleep(20);
          this.#log.push('blocked');
        });
        return;
      case 'timers':
        setTimeout(() => this.#log.push('timer 5'), 5);
        setTimeout(() => this.#log.push('timer 0'));
        setTimeout(() => this.#log.push('timer 1'), 1);
        queueMicrotask(() => this.#log.push('microtask'));
        return;
      case 'echo':
        socket.send(args.join(' '));
        return;
      case 'write-then-send':
        this.#ctx.storage.kv.put('written', args[0]);
        socket.send('written');
        return;
    }
  }

  #closes: 'now' | 'later' | 'not' = 'now';

  async webSocketClose(socket: Socket, code: number, reason: string, wasClean: boolean): Promise<void> {
    if (this.#closes !== 'now') {
      this.#log.push(['webSocketClose', code, reason, wasClean], socket.readyState, this.#ctx.getWebSockets().length);
      if (this.#closes === 'not') return;
      await sleep(50);
      const sent = saying(() => socket.send('later'));
      this.#log.push(
        socket.readyState,
        sent,
        saying(() => socket.close(4321, 'later')),
        socket.readyState,
      );
      return;
    }
    this.#log.push(
      ['webSocketClose', code, reason, wasClean],
      socket.readyState,
      saying(() => socket.send('in close')),
      saying(() => socket.close(code === 1005 || code === 1006 ? 1000 : code)),
      socket.readyState,
      this.#ctx.getWebSockets().length,
    );
  }

  webSocketError(socket: Socket, error: Error): void {
    this.#log.push(['webSocketError', error.message], socket.readyState);
  }

  async alarm({ retryCount, isRetry }: { retryCount: number; isRetry: boolean }): Promise<void> {
    this.#log.push(['alarm', retryCount, isRetry, await this.#ctx.storage.getAlarm()]);
  }

  readonly #probes: Record<string, (query: URLSearchParams) => unknown> = {
    increment: async () => {
      const value = ((await this.#ctx.storage.get('value')) as number | undefined) ?? 0;
      await this.#ctx.storage.put('value', value + 1);
      return value + 1;
    },
    // Many at once, in one event.
    together: async () => {
      const increment = this.#probes.increment as () => Promise<number>;
      return Promise.all([increment(), increment(), increment()]);
    },
    // Many at once, each begun by a timer.
    timers: async () => {
      const increment = this.#probes.increment as () => Promise<number>;
      return Promise.all([1, 2, 3].map(() => new Promise((resolve) => setTimeout(() => resolve(increment())))));
    },
    attachment: () => {
      const [socket] = this.#ctx.getWebSockets();
      const cyclic: Record<string, unknown> = { map: new Map([['a', 1n]]) };
      cyclic.self = cyclic;
      const before = socket.deserializeAttachment();
      socket.serializeAttachment(cyclic);
      const read = socket.deserializeAttachment() as typeof cyclic;
      return [
        before,
        read.self === read && read.self !== cyclic,
        String((read.map as Map<string, bigint>).get('a')),
        saying(() => socket.serializeAttachment('x'.repeat(16_370))),
        saying(() => socket.serializeAttachment('x'.repeat(16_384))),
        saying(() => socket.serializeAttachment(() => {}))
          .toString()
          .slice(0, 14),
      ];
    },
    tags: () => [
      this.#ctx.getWebSockets('a').map((socket) => this.#ctx.getTags(socket)),
      this.#ctx.getWebSockets('b').length,
      this.#ctx.getWebSockets().map((socket) => this.#ctx.getTags(socket)),
      new Set([...this.#ctx.getWebSockets(), ...this.#ctx.getWebSockets('a')]).size,
    ],
    limits: () => {
      const make = (tags: string[]) => saying(() => this.#ctx.acceptWebSocket(new WebSocketPair()[0], tags));
      const [socket] = this.#ctx.getWebSockets();
      return [
        make(Array.from({ length: 11 }, (_, at) => `${at}`)),
        make(['x'.repeat(257)]),
        saying(() => socket.close(999)),
        saying(() => socket.close(1005)),
        saying(() => socket.close(1006)),
        saying(() => socket.close(5000)),
        saying(() => socket.close(1000, 'x'.repeat(124))),
        saying(() => this.#ctx.acceptWebSocket(socket)),
        saying(() => socket.accept()),
        saying(() => new WebSocketPair()[0].send('x')),
      ];
    },
    auto: () => {
      this.#ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'));
      return this.#ctx.getWebSockets().map((socket) => typeof this.#ctx.getWebSocketAutoResponseTimestamp(socket));
    },
    answered: () =>
      this.#ctx.getWebSockets().map((socket) => this.#ctx.getWebSocketAutoResponseTimestamp(socket) instanceof Date),
    sql: () => {
      const { sql } = this.#ctx.storage;
      const run = (text: string, ...values: unknown[]) =>
        saying(() => {
          const cursor = sql.exec(text, ...values);
          return [cursor.columnNames, cursor.toArray(), cursor.rowsWritten];
        });
      return [
        sql.exec('CREATE TABLE t (a TEXT, b INTEGER, c BLOB, PRIMARY KEY (a, b)) WITHOUT ROWID').toArray(),
        run('INSERT INTO t VALUES (?, ?, ?)', 'x', 1, new Uint8Array([1, 2]).buffer),
        run('INSERT INTO t VALUES (?, ?, ?), (?, ?, ?)', 'x', 2, null, 'y', 3.5, 'text'),
        run('SELECT a, b, typeof(b) AS t, typeof(c) AS u FROM t ORDER BY b'),
        run('SELECT ?1 AS a, ?2 AS b, ?1 AS c', 1, true),
        run('UPDATE t SET b = b + 10 WHERE a = ?', 'x'),
        run('DELETE FROM t WHERE a = ?', 'x'),
        run('DELETE FROM t WHERE a = ?', 'x'),
        run('INSERT OR REPLACE INTO t VALUES (?, ?, ?)', 'y', 3.5, 'more'),
        run('INSERT INTO t VALUES (?, ?, ?)', 'y', 3.5, 'again'),
        run('INSERT INTO t VALUES (?, ?, ?) RETURNING a, b', 'z', 7, null),
        run('SELECT * FROM missing'),
        run('SELECT missing FROM t').toString().slice(0, 30),
        run('SELECT FROM').toString().slice(0, 32),
        run('BEGIN').toString().slice(0, 40),
        run('SELECT 1 AS n; SELECT 2 AS n'),
        run('SELECT ? AS n', 1, 2),
        run('SELECT count(*) AS n FROM t').toString(),
        saying(() => sql.exec('SELECT * FROM t').one()),
        saying(() => sql.exec('SELECT * FROM t WHERE 0').one()),
        run("SELECT name FROM sqlite_master WHERE name = 't'"),
      ];
    },
    rollback: () => {
      const { storage } = this.#ctx;
      storage.kv.put('a', 1);
      const outcomes = [
        saying(() =>
          storage.transactionSync(() => {
            storage.kv.put('a', 2);
            throw new Error('told to');
          }),
        ),
        storage.kv.get('a'),
        storage.transactionSync(() => {
          storage.kv.put('a', 3);
          saying(() =>
            storage.transactionSync(() => {
              storage.kv.put('a', 4);
              throw new Error('told to');
            }),
          );
          return storage.kv.get('a');
        }),
        storage.kv.get('a'),
        storage.kv.get('none') ?? 'none',
        [...storage.kv.list({ prefix: 'a' })],
        saying(() => storage.kv.put('u', undefined)),
        saying(() => storage.kv.put('f', () => {}))
          .toString()
          .slice(0, 14),
      ];
      return outcomes;
    },
    transaction: async () => {
      const { storage } = this.#ctx;
      storage.kv.put('t', 1);
      const thrown = await storage
        .transaction(async (transaction) => {
          await transaction.put('t', 2);
          await sleep(5);
          throw new Error('told to');
        })
        .catch((error) => error.message);
      const afterThrow = storage.kv.get('t');
      await storage.transaction(async (transaction) => {
        await transaction.put('t', 3);
        transaction.rollback();
      });
      const afterRollback = storage.kv.get('t');
      await storage.transaction(async (transaction) => transaction.put('t', 4));
      return [thrown, afterThrow, afterRollback, storage.kv.get('t')];
    },
    // Storage is asynchronous in name only: what is awaited is there in a job of promises.
    order: async () => {
      const order: string[] = [];
      setTimeout(() => order.push('timer'));
      const job = (async () => {
        for (let i = 0; i < 3; i++) await Promise.resolve();
        order.push('jobs');
      })();
      await this.#ctx.storage.put('x', 1);
      order.push('put');
      await this.#ctx.storage.get('x');
      order.push('get');
      await job;
      await sleep(2);
      return order.filter((each) => each !== 'jobs');
    },
    alarm: async (query) => {
      await this.#ctx.storage.setAlarm(Date.now() + Number(query.get('ms')));
      return typeof (await this.#ctx.storage.getAlarm());
    },
    'delete-all': async () => {
      const { storage } = this.#ctx;
      storage.kv.put('x', 1);
      storage.sql.exec('CREATE TABLE IF NOT EXISTS gone (a)');
      await storage.deleteAll();
      return [storage.kv.get('x') ?? 'none', saying(() => storage.sql.exec('SELECT * FROM gone').toArray())];
    },
    block: async () => {
      this.#log.push('blocks');
      await this.#ctx.blockConcurrencyWhile(async () => {
        await this.#ctx.storage.get('x');
        await sleep(20);
        this.#log.push('still blocks');
      });
      this.#log.push('blocks no more');
    },
    quick: () => void this.#log.push('quick'),
    'do-not-close': () => {
      this.#closes = 'not';
    },
    'close-later': () => {
      this.#closes = 'later';
    },
    wait: async (query) => {
      await sleep(Number(query.get('ms')));
      this.#log.push('waited');
      return Number(query.get('ms'));
    },
    reject: () => void Promise.reject(new Error('told to')),
    now: () => [Date.now(), performance.now()],
    'close-all': () => {
      for (const socket of this.#ctx.getWebSockets()) socket.close(4005, 'all');
    },
    'auto-is': () => this.#ctx.getWebSocketAutoResponse()?.request ?? null,
    attachments: () => this.#ctx.getWebSockets().map((socket) => String(socket.deserializeAttachment())),
    count: () => this.#ctx.getWebSockets().map((socket) => socket.readyState),
    'block-fails': () =>
      this.#ctx.blockConcurrencyWhile(async () => {
        throw new Error('told to');
      }),
    fails: () => {
      throw new Error('told to');
    },
  };
}

export default {
  fetch(request: Request, env: { PROBE: { getByName(name: string): { fetch(request: Request): Promise<Response> } } }) {
    const [, name] = new URL(request.url).pathname.split('/');
    return env.PROBE.getByName(name).fetch(request);
  },
};
