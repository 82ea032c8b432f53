import { DurableObject } from 'cloudflare:workers';
import { newWorkersRpcResponse, RpcTarget } from 'capnweb';
import { type Session, type User, verifyToken } from '../src/gateway/gateway.ts';
import { type EventSource, type KeyValues, type Message, workOn } from '../src/work/work.ts';
import { EventRows, Sessions } from './served.ts';

const Work = workOn(RpcTarget);

/** A function that a client passed, as Cap'n Web hands it over. */
interface Callback<Args extends unknown[]> {
  (...args: Args): Disposable;
  dup(): Callback<Args>;
  onRpcBroken(broken: () => void): void;
}

/**
 * The functions that clients of Cap'n Web have passed, kept to be called. Nobody waits for what they return, which saves
 * Cap'n Web two of four frames a call.
 */
class Callbacks<Args extends unknown[]> {
  readonly #kept = new Set<Callback<Args>>();

  subscribe(callback: Callback<Args>): void {
    // What is passed to a call is let go of at its end.
    const kept = callback.dup();
    this.#kept.add(kept);
    kept.onRpcBroken(() => this.#kept.delete(kept));
  }

  publish(...args: Args): void {
    for (const callback of this.#kept) callback(...args)[Symbol.dispose]();
  }
}

/**
 * The work served by Cap'n Web as its documentation says: one `newWorkersRpcResponse` in `fetch`, no options. Events are as
 * Cap'n Web has them: each subscriber passes a callback, which the object keeps and calls.
 */
export class WorkCapnWeb extends DurableObject implements EventSource {
  readonly #callbacks = new Callbacks<[number: number, message: Message]>();
  readonly #rows = new EventRows(this.ctx.storage.sql);

  override fetch(request: Request): Promise<Response> {
    const { kv, sql } = this.ctx.storage;
    return newWorkersRpcResponse(request, new Work(kv as KeyValues, { events: this, sql }));
  }

  publish(message: Message): number {
    const number = this.#rows.add(JSON.stringify(message));
    this.#callbacks.publish(number, message);
    return number;
  }

  subscribe(callback: Callback<[number, Message]>): void {
    this.#callbacks.subscribe(callback);
  }
}

/**
 * The gateway served by Cap'n Web: `authenticate` returns what its documentation calls the authenticated API; sessions are
 * told by calling what listeners have passed.
 */
export class GatewayCapnWeb extends DurableObject {
  readonly #sessions = new Sessions(this.ctx.storage.sql);
  readonly #created = new Callbacks<[session: Session]>();

  override fetch(request: Request): Promise<Response> {
    const kv = this.ctx.storage.kv as KeyValues;
    const served = { events: this.#created, sessions: this.#sessions };
    return newWorkersRpcResponse(request, new PublicApi((user) => new Work(kv, { ...served, user })));
  }
}

class PublicApi extends RpcTarget {
  readonly #open: (user: User) => object;

  constructor(open: (user: User) => object) {
    super();
    this.#open = open;
  }

  async authenticate(token: unknown): Promise<object> {
    const user = await verifyToken(token);
    if (user === undefined) throw new Error('authentication failed');
    return this.#open(user);
  }
}
