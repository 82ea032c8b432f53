import { type Clock, Realm } from '../scheduler/realm.ts';
import type { Scheduler, Task } from '../scheduler/scheduler.ts';
import { Database } from './database.ts';
import type { Endpoint, HasEndpoint, Message } from './endpoint.ts';
import { Life, type LifeHost } from './life.ts';
import type { ObjectWebSocket } from './object-socket.ts';
import { type Hibernation, ObjectState, type StateHost, socketIn } from './state.ts';

/** The idle time after which an object leaves memory, in milliseconds. */
const HIBERNATES_AFTER_MS = 10_000;

/** An instance of the object's class, with the handlers that it may have. */
interface Instance {
  fetch?(request: Request): Response | Promise<Response>;
  webSocketMessage?(socket: ObjectWebSocket, message: string | ArrayBuffer): unknown;
  webSocketClose?(socket: ObjectWebSocket, code: number, reason: string, wasClean: boolean): unknown;
  webSocketError?(socket: ObjectWebSocket, error: unknown): unknown;
  alarm?(info: { retryCount: number; isRetry: boolean }): unknown;
}

/** The class of an object. */
export type ObjectClass = new (ctx: never, env: never) => object;

/** The conditions that the world sets for an object. */
export interface ObjectConditions {
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly env: object;
  /** Returns the class that is deployed now. */
  classOf(): ObjectClass;
  /** The longest time until a commit is durable, in milliseconds. */
  readonly maxDurableMs: number;
  /**
   * The longest time of an operation of asynchronous storage, in milliseconds; 0 if it is done at once, as in SQLite.
   */
  readonly maxStorageMs: number;
}

/** A Durable Object: its storage, its hibernating sockets, and its life while it is in memory. */
export class SimulatedObject implements LifeHost, StateHost {
  readonly name: string;
  readonly id: object;
  readonly database = new Database();
  readonly hibernation: Hibernation;
  readonly #conditions: ObjectConditions;
  #life: Life | undefined;
  #instance: Instance | undefined;
  #lives = 0;
  #hibernation: Task | undefined;
  #alarm: Task | undefined;
  #alarmRetries = 0;
  #isEvicted = false;

  constructor(name: string, id: object, conditions: ObjectConditions) {
    this.name = name;
    this.id = id;
    this.#conditions = conditions;
    this.hibernation = {
      sockets: new Set(),
      autoResponse: null,
      accepted: (endpoint) => endpoint.receiveWith((message) => this.#received(endpoint, message)),
    };
  }

  /** The current life of the object; undefined while it is not in memory. */
  get life(): Life | undefined {
    return this.#life;
  }

  get lives(): number {
    return this.#lives;
  }

  /** Hands a request to the object. Resolves when its response may be seen. */
  fetch(request: Request): Promise<Response> {
    return this.#event('fetch', (instance) => {
      if (instance.fetch === undefined) throw new Error('Handler does not export a fetch() function.');
      return instance.fetch(request);
    });
  }

  /** Makes the object leave memory, now or as soon as it is idle. */
  evict(): void {
    if (this.#life === undefined) return;
    if (this.#life.isIdle) this.#leave('evicted');
    else this.#isEvicted = true;
  }

  /** Ends the object's life without warning. Its sockets break, and commits that are not durable survive or not. */
  crash(why: string, keepsCommits: boolean): void {
    const life = this.#life;
    const lost = this.database.crash(keepsCommits);
    this.#note('crash', `${why}, ${lost} commits lost`);
    const ends = [...this.hibernation.sockets, ...(life?.accepted ?? [])];
    this.hibernation.sockets.clear();
    this.hibernation.autoResponse = null;
    this.#end(new Error(why));
    for (const endpoint of ends) {
      endpoint.isLost = true;
      endpoint.transmit({ kind: 'lost' });
    }
    this.committed();
  }

  /** Makes code of the object close sockets. */
  closeSockets(isMeant: (endpoint: Endpoint) => boolean, code: number): void {
    const ends = [...this.hibernation.sockets, ...(this.#life?.accepted ?? [])].filter(isMeant);
    for (const endpoint of ends) {
      void this.#event('closes', () => socketIn(this.#life!, endpoint).close(code, 'closed by the application')).catch(
        () => {},
      );
    }
  }

  close(): void {
    this.#end(new Error('the world is over'));
    this.#alarm?.cancel();
    this.database.close();
  }

  // The methods that its life uses.

  storageMs(): number {
    const { maxStorageMs, scheduler } = this.#conditions;
    return maxStorageMs === 0 ? 0 : scheduler.random.between(`storage ${this.name}`, 0, maxStorageMs);
  }

  durableMs(): number {
    const { maxDurableMs, scheduler } = this.#conditions;
    return scheduler.random.between(`durable ${this.name}`, 0, maxDurableMs);
  }

  /** Schedules the alarm according to the durable state. */
  committed(): void {
    this.#alarm?.cancel();
    const at = this.database.alarm;
    if (at === null) return;
    const { scheduler, clock } = this.#conditions;
    const realm = new Realm(this.name, scheduler, clock);
    const now = realm.run(() => Date.now());
    this.#alarm = scheduler.after(Math.max(0, at - now), this.name, 'alarm', () => this.#ring(at));
  }

  broken(life: Life, error: unknown): void {
    if (life !== this.#life) return;
    life.output.break();
    // At the end of the task, because the code that is running now may still finish.
    this.#conditions.scheduler.atEndOfTask(() => {
      if (life === this.#life) this.crash(`broken: ${(error as Error | undefined)?.message}`, false);
    });
  }

  idleChanged(life: Life, isIdle: boolean): void {
    this.#hibernation?.cancel();
    if (!isIdle) return;
    if (this.#isEvicted) return this.#leave('evicted');
    this.#hibernation = life.realm.after(HIBERNATES_AFTER_MS, 'hibernate', () => this.#leave('hibernates'));
  }

  receive(life: Life, { endpoint }: HasEndpoint, message: Message): void {
    const socket = socketIn(life, endpoint);
    const isData = message.kind === 'data';
    const event = isData ? { data: payload(message.data) } : closing(endpoint, message, false);
    if (event === undefined) return;
    const type = isData ? 'message' : 'close';
    life
      .event(type, () => socket.dispatch(type, event))
      .catch((error) => this.#note('failed', `${type}: ${(error as Error).message}`));
  }

  /** Handles a message that arrives at one of the hibernating sockets. */
  #received(endpoint: Endpoint, message: Message): void {
    if (endpoint.isLost || endpoint.hasReceivedClose) return;
    if (message.kind === 'data') {
      const { autoResponse } = this.hibernation;
      if (autoResponse !== null && message.data === autoResponse.request)
        return this.#answer(endpoint, autoResponse.response);
      void this.#socketEvent('webSocketMessage', endpoint, (instance, socket) =>
        instance.webSocketMessage?.(socket, payload(message.data)),
      );
      return;
    }
    const event = closing(endpoint, message, true);
    if (event === undefined) return;
    void this.#socketEvent('webSocketClose', endpoint, (instance, socket) =>
      instance.webSocketClose?.(socket, event.code, event.reason, event.wasClean),
    ).finally(() => this.hibernation.sockets.delete(endpoint));
  }

  #answer(endpoint: Endpoint, response: string): void {
    const { scheduler, clock } = this.#conditions;
    endpoint.autoRespondedAt = new Realm(this.name, scheduler, clock).run(() => Date.now());
    const send = () => endpoint.transmit({ kind: 'data', data: response });
    if (this.#life === undefined) send();
    else this.#life.output.pass(send);
  }

  #socketEvent(
    what: string,
    endpoint: Endpoint,
    handle: (instance: Instance, socket: ObjectWebSocket) => unknown,
  ): Promise<void> {
    return this.#event(what, async (instance) => {
      await handle(instance, socketIn(this.#life!, endpoint));
    }).catch((error) => this.#note('failed', `${what}: ${(error as Error).message}`));
  }

  #event<Result>(what: string, handle: (instance: Instance) => Result | Promise<Result>): Promise<Result> {
    const life = this.#life ?? this.#begin();
    return life.event(what, () => {
      if (this.#instance === undefined) throw new Error('the constructor of the object has failed');
      return handle(this.#instance);
    });
  }

  #begin(): Life {
    const { scheduler, clock, env } = this.#conditions;
    const realm = new Realm(`${this.name}#${++this.#lives}`, scheduler, clock);
    const life = new Life(realm, this);
    this.#life = life;
    life
      .event('constructor', () => {
        this.#instance = new (this.#conditions.classOf())(
          new ObjectState(life, this) as never,
          env as never,
        ) as Instance;
      })
      .catch((error) => this.broken(life, error));
    return life;
  }

  #leave(how: string): void {
    this.#note(how);
    this.#end(new Error(how));
  }

  #end(error: Error): void {
    this.#hibernation?.cancel();
    this.#isEvicted = false;
    const life = this.#life;
    this.#life = undefined;
    this.#instance = undefined;
    life?.end(error);
  }

  #ring(at: number): void {
    if (this.database.alarm !== at) return;
    const retryCount = this.#alarmRetries;
    this.#event('alarm', async (instance) => {
      this.database.setAlarm(null);
      await instance.alarm?.({ retryCount, isRetry: retryCount > 0 });
    }).then(
      () => {
        this.#alarmRetries = 0;
      },
      () => {
        if (this.#alarmRetries++ >= MAX_ALARM_RETRIES) return;
        this.database.setAlarm(at);
        const ms = FIRST_ALARM_RETRY_MS * 2 ** retryCount;
        this.#alarm = this.#conditions.scheduler.after(ms, this.name, 'alarm', () => this.#ring(at));
      },
    );
  }

  #note(event: string, detail?: string): void {
    const { scheduler } = this.#conditions;
    scheduler.trace.add(scheduler.now, this.name, event, detail);
  }
}

const MAX_ALARM_RETRIES = 6;
const FIRST_ALARM_RETRY_MS = 2000;

/** Returns the data of a message as handlers receive it. */
function payload(data: string | Uint8Array<ArrayBuffer>): string | ArrayBuffer {
  return typeof data === 'string' ? data : data.slice().buffer;
}

/**
 * Records the end of a connection, and returns the close event for code, but only the first time. The runtime answers a
 * close itself, except for hibernating sockets: there the object must do it.
 */
function closing(
  endpoint: Endpoint,
  message: Exclude<Message, { kind: 'data' }>,
  hibernates: boolean,
): { code: number; reason: string; wasClean: boolean } | undefined {
  if (endpoint.isLost || endpoint.hasReceivedClose) return undefined;
  if (message.kind === 'lost') {
    endpoint.isLost = true;
    endpoint.hasReceivedClose = hibernates;
    return { code: 1006, reason: 'WebSocket disconnected without sending Close frame.', wasClean: false };
  }
  endpoint.hasReceivedClose = true;
  if (!endpoint.hasSentClose && !hibernates) {
    endpoint.hasSentClose = true;
    endpoint.transmit({ kind: 'close', code: message.code, reason: message.reason });
  }
  return { code: message.code, reason: message.reason, wasClean: true };
}
