import { setTimeout as delay } from 'node:timers/promises';
import { garbageCollector } from '@lumenize/hosts/garbage-collector';
import * as library from '@lumenize/rpc';
import type { Fault, World } from '../world.ts';
import { FaultyLink } from './faulty-link.ts';
import { EVICT, type WorkerdHost } from './workerd-host.ts';

const collectGarbage = garbageCollector();

/** How long an object may be too busy to leave memory, in milliseconds. */
const BUSY_MS = 1000;

/** A real workerd as a world. A program has an object of its own, and each client has a link of its own. */
export class WorkerdWorld implements World {
  readonly library = library;
  readonly object: string;
  readonly #host: WorkerdHost;
  readonly #links: readonly FaultyLink[];
  readonly #stubs: { readonly client: number; readonly stub: object }[] = [];

  private constructor(host: WorkerdHost, links: readonly FaultyLink[]) {
    this.#host = host;
    this.#links = links;
    this.object = host.nextName();
  }

  static async open(host: WorkerdHost, clients: number): Promise<WorkerdWorld> {
    const links = await Promise.all(Array.from({ length: clients }, () => FaultyLink.listen(host.port)));
    return new WorkerdWorld(host, links);
  }

  async run<Result>(program: () => Result | Promise<Result>): Promise<Result> {
    return program();
  }

  as<Result>(_client: number, job: () => Result): Result {
    return job();
  }

  can(fault: Fault): boolean {
    return ['cut', 'freeze', 'delay', 'evict', 'crash', 'close', 'deploy', 'reload', 'collect'].includes(fault.kind);
  }

  async fault(fault: Fault): Promise<void> {
    switch (fault.kind) {
      case 'cut':
        return this.#links[fault.client].cut(fault.direction, fault.afterBytes);
      case 'freeze':
        return this.#links[fault.client].freeze(fault.direction, fault.ms);
      case 'delay':
        return this.#links[fault.client].delay(fault.direction, fault.ms);
      case 'evict':
        return this.#evict();
      case 'crash':
        await this.request(`/control/${this.object}/abort`);
        return;
      case 'deploy':
        return this.#host.restart();
      case 'close':
        await this.request(`/control/${this.object}/close?client=${fault.client}&code=${fault.code}`);
        return;
      case 'reload':
        // Without a connection the client cannot say that it leaves.
        this.#links[fault.client].cut();
        for (const { client, stub } of this.#stubs) if (client === fault.client) library.connection(stub).close();
        return;
      case 'collect':
        // Collects the garbage of the clients. workerd cannot be asked for its own.
        return collectGarbage();
      default:
        throw new Error(`workerd cannot ${fault.kind}`);
    }
  }

  connect(client: number, options?: library.ConnectOptions): unknown {
    const url = `ws://127.0.0.1:${this.#links[client].port}/rpc/program/${this.object}`;
    const stub = library.connect(url, options);
    this.#stubs.push({ client, stub });
    return stub;
  }

  request(path: string, init?: RequestInit): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.#host.port}${path}`, init);
  }

  now(): number {
    return performance.now();
  }

  sleep(ms: number): Promise<void> {
    return delay(ms);
  }

  async calm(): Promise<void> {
    for (const link of this.#links) link.calm();
    await delay(20);
  }

  async end(): Promise<readonly string[]> {
    for (const { stub } of this.#stubs) library.connection(stub).close();
    for (const link of this.#links) await link[Symbol.asyncDispose]();
    return [];
  }

  async #evict(): Promise<void> {
    const until = this.now() + BUSY_MS;
    while (this.now() < until) {
      const answer = await this.request(EVICT);
      if (answer.ok) return;
      await delay(5);
    }
  }
}
