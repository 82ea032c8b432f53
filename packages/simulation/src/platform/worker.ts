import { Realm } from '../scheduler/realm.ts';
import { describeError, type Scheduler } from '../scheduler/scheduler.ts';
import { SimulatedRequest } from './http.ts';
import { Namespace } from './namespace.ts';
import type { ObjectClass, ObjectConditions, SimulatedObject } from './simulated-object.ts';

/** An entry module, as it is deployed. */
export type EntryModule = Readonly<Record<string, unknown>>;

interface Handler {
  fetch(request: Request, env: object, ctx: object): Promise<Response>;
}

/** The Worker: its handler and its objects. A deploy replaces its module. */
export class SimulatedWorker {
  readonly realm: Realm;
  readonly #direct: Realm;
  readonly #env: Record<string, Namespace> = {};
  #module: EntryModule;

  constructor(
    scheduler: Scheduler,
    module: EntryModule,
    conditions: Omit<ObjectConditions, 'scheduler' | 'env' | 'classOf'>,
  ) {
    this.realm = new Realm('worker', scheduler, conditions.clock);
    this.#direct = new Realm('control', scheduler, conditions.clock);
    this.#direct.hopMs = 0;
    this.#module = module;
    for (const name of Object.keys(module)) {
      if (!isObjectClass(module[name])) continue;
      this.#env[name.toUpperCase()] = new Namespace(name, {
        ...conditions,
        scheduler,
        env: this.#env,
        classOf: () => this.#module[name] as ObjectClass,
      });
    }
  }

  /** Handles a request from outside, in the Worker's realm or in another of its realms. */
  async fetch(url: string, init?: RequestInit, realm = this.realm): Promise<Response> {
    const handler = this.#module.default as Handler;
    try {
      return await realm.run(async () => handler.fetch(new SimulatedRequest(url, init), this.#env, CONTEXT));
    } catch (error) {
      realm.note('failed', describeError(error));
      return new Response('Internal Server Error', { status: 500 });
    }
  }

  /** Handles a request that reaches its object at once. */
  fetchDirectly(url: string, init?: RequestInit): Promise<Response> {
    return this.fetch(url, init, this.#direct);
  }

  /** Replaces the code. All objects start again, without their sockets. */
  deploy(module: EntryModule): void {
    this.#module = module;
    for (const object of this.objects()) object.crash('a deploy', true);
  }

  get bindings(): string[] {
    return Object.keys(this.#env);
  }

  *objects(): Generator<SimulatedObject> {
    for (const namespace of Object.values(this.#env)) yield* namespace.objects;
  }
}

const CONTEXT = { waitUntil() {}, passThroughOnException() {}, props: {}, exports: {} };

function isObjectClass(value: unknown): boolean {
  return typeof value === 'function' && typeof value.prototype?.fetch === 'function';
}
