import { type Methods, RpcObject, RpcTarget, routeRpc, type SubscribeOptions } from '@lumenize/rpc/server';
import { below } from './tree.ts';

interface Env {
  RELAY: DurableObjectNamespace<Relay>;
}

export class Relay extends RpcObject<Env> {
  readonly news = this.topic<string>('news', { retain: 1000 });

  override target() {
    return this.ctx.id.name === 'root' ? new Publisher(this) : new Reader(this); // and who may, of authenticate
  }

  /** Adds an event, and has it passed on: the alarm does that, which comes also where the object ends before. */
  add(event: string): number {
    const number = this.news.publish(event);
    const passed = this.#passed;
    if (passed.size === 0) return number; // a leaf
    this.ctx.storage.kv.put(key(number), event);
    this.ctx.storage.kv.put('passed', passed);
    void this.ctx.storage.setAlarm(Date.now());
    return number;
  }

  /** Called by the relay above: events, the first of which has this number. Says which is the last that is here. */
  take(first: number, events: string[]): number {
    const isNext = first <= this.news.sequence + 1;
    if (isNext) for (const event of events.slice(this.news.sequence + 1 - first)) this.add(event);
    return this.news.sequence;
  }

  /** Passes on what those below do not have yet. There is one at a time, and it is repeated where it fails. */
  override async alarm(): Promise<void> {
    const { kv } = this.ctx.storage;
    const passed = this.#passed;
    const pass = async (name: string, last: number) => {
      const events = Array.from(kv.list<string>({ start: key(last + 1), end: 'event/~' }), ([, event]) => event);
      if (events.length > 0) passed.set(name, await this.env.RELAY.getByName(name).take(last + 1, events));
    };
    await Promise.allSettled(Array.from(passed, ([name, last]) => pass(name, last)));
    kv.put('passed', passed);
    const everywhere = Math.min(...passed.values());
    for (const [old] of [...kv.list({ start: 'event/', end: key(everywhere + 1) })]) kv.delete(old);
    if (everywhere === this.news.sequence || (await this.ctx.storage.getAlarm()) !== null) return; // or there is more already
    await this.ctx.storage.setAlarm(Date.now() + 1000);
  }

  /** Of each relay below, which event is the last that it has. */
  get #passed(): Map<string, number> {
    const stored = this.ctx.storage.kv.get<Map<string, number>>('passed');
    return stored ?? new Map(below(this.ctx.id.name!).map((name) => [name, 0]));
  }
}

/** Events in their order, as keys. */
function key(number: number): string {
  return `event/${String(number).padStart(16, '0')}`;
}

export class Reader extends RpcTarget {
  static readonly rpc: Methods<Reader> = { news: { idempotent: true } };
  protected readonly relay: Relay;
  constructor(relay: Relay) {
    super();
    this.relay = relay;
  }
  news(options?: SubscribeOptions) {
    return this.relay.news.subscribe(options);
  }
}

export class Publisher extends Reader {
  static override readonly rpc: Methods<Publisher> = { publish: { exactlyOnce: true } };
  publish(event: string): number {
    return this.relay.add(event);
  }
}

export default {
  async fetch(request, env) {
    return (await routeRpc(request, env)) ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<Env>;
