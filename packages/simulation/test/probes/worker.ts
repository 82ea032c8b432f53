// An object without the library, which says what the platform does to it. It runs on workerd, and on the simulated platform.

import type { Context, Socket } from './platform-types.ts';
import { saying, sleep } from './saying.ts';
import { STORAGE_PROBES } from './storage.ts';

declare const WebSocketPair: new () => { 0: Socket; 1: Socket };
declare const WebSocketRequestResponsePair: new (request: string, response: string) => object;

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
    if (path === 'leave') {
      request.signal.addEventListener('abort', () => this.#log.push('aborted'));
      this.#log.push('began');
      await sleep(1000);
      this.#log.push(request.signal.aborted);
      return Response.json('late');
    }
    const probe = this.#probes[path] ?? (() => STORAGE_PROBES[path](this.#ctx.storage));
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
        // Longer than other messages take on a busy machine.
        await sleep(200);
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
    block: async () => {
      this.#log.push('blocks');
      await this.#ctx.blockConcurrencyWhile(async () => {
        await this.#ctx.storage.get('x');
        await sleep(400);
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
