import type { ObjectWebSocket } from '../platform/object-socket.ts';
import type { SimulatedWorker } from '../platform/worker.ts';
import { type Clock, Realm } from '../scheduler/realm.ts';
import type { Scheduler } from '../scheduler/scheduler.ts';
import { hashBytes } from '../scheduler/trace.ts';
import { type ClientNetwork, type ConnectEvents, networks } from './client-socket.ts';
import { type Delays, Link } from './link.ts';
import { Page, pages } from './page.ts';

/** A fault of a client's next upgrade. */
export type UpgradeTrouble = 'twice' | 'late';

const UPGRADE_BYTES = 400;
const REQUEST_BYTES = 300;
const RESPONSE_BYTES = 200;
/** The longest additional time of the second of two equal upgrades, in milliseconds. */
const MOST_TWICE_MS = 500;
/** The time after which the loss of a socket without a client is noticed, in milliseconds. */
const NOBODY_MS = 5000;

/** A client's machine: its code, its network, and its connections. */
export class SimulatedClient implements ClientNetwork {
  readonly delays: Delays = { up: 5, down: 5, jitter: 10 };
  readonly links = new Set<Link>();
  upgradeTrouble: UpgradeTrouble | undefined;
  readonly #name: string;
  readonly #isPage: boolean;
  readonly #scheduler: Scheduler;
  readonly #clock: Clock;
  readonly #worker: SimulatedWorker;
  #realm: Realm;
  #connections = 0;
  #reloads = 0;
  #offlineUntil = 0;
  /** Releases an upgrade that arrives only after the next one. */
  #held: (() => void) | undefined;

  constructor(name: string, isPage: boolean, scheduler: Scheduler, clock: Clock, worker: SimulatedWorker) {
    this.#name = name;
    this.#isPage = isPage;
    this.#scheduler = scheduler;
    this.#clock = clock;
    this.#worker = worker;
    this.#realm = this.#makeRealm(name);
  }

  get realm(): Realm {
    return this.#realm;
  }

  /**
   * Ends the client's code and connections, like a page that is left. Code that runs from now on is in another page.
   */
  reload(): void {
    this.#realm.end();
    for (const link of this.links) link.cut();
    this.#realm = this.#makeRealm(`${this.#name}+${++this.#reloads}`);
  }

  /** Makes the client's machine sleep: none of its code runs, and nothing reaches it. */
  sleep(ms: number): void {
    this.#realm.sleep(ms);
    for (const { up, down } of this.links) for (const pipe of [up, down]) pipe.freeze(ms);
  }

  /** Takes the network away for a time, and tells the page. Connections may be lost with it, or stay as they were. */
  goOffline(ms: number): void {
    const { random } = this.#scheduler;
    this.#offlineUntil = Math.max(this.#offlineUntil, this.#scheduler.now + ms);
    for (const link of [...this.links]) {
      if (random.chance(`offline ${this.#name}`, 0.5)) link.cut();
      else for (const pipe of [link.up, link.down]) pipe.freeze(ms);
    }
    this.page?.dispatch('offline');
    this.#scheduler.after(ms, this.#name, 'online', () => {
      // Tells the current page, because the page that was told before may have been left.
      if (this.#offlineUntil <= this.#scheduler.now) this.page?.dispatch('online');
    });
  }

  /** Ends the sleep of the machine and the loss of the network. */
  recover(): void {
    this.#offlineUntil = 0;
    this.#realm.wake();
    for (const { up, down } of this.links) for (const pipe of [up, down]) pipe.thaw();
  }

  /** The page of the client's code; undefined if the code is a program in Node. */
  get page(): Page | undefined {
    return pages.get(this.#realm);
  }

  /** Releases an upgrade that is held back. */
  release(): void {
    const held = this.#held;
    this.#held = undefined;
    held?.();
  }

  connect(url: string, protocols: readonly string[], events: ConnectEvents): Link {
    const link: Link = new Link(`${this.#name}.${++this.#connections}`, this.#scheduler, this.delays, {
      arrived: events.arrived,
      lost: () => {
        this.links.delete(link);
        events.lost();
      },
      ended: () => this.links.delete(link),
    });
    this.links.add(link);
    const trouble = this.upgradeTrouble;
    this.upgradeTrouble = undefined;
    link.note('upgrade', trouble ?? '');
    if (this.#offlineUntil > this.#scheduler.now) {
      link.cut();
      return link;
    }
    const offered = protocols.join(', ');
    link.up.send(UPGRADE_BYTES + offered.length, () => {
      const arrive = () => this.#upgrade(url, protocols, link, events);
      if (trouble === 'late') {
        this.release();
        this.#held = arrive;
        return;
      }
      arrive();
      if (trouble === 'twice') this.#later(MOST_TWICE_MS, () => this.#upgradeForNobody(url, protocols));
      if (this.#held !== undefined) this.#later(MOST_TWICE_MS, () => this.release());
    });
    return link;
  }

  /** Sends a request over a connection of its own. Rejects if the connection breaks before the response has come. */
  fetch(url: string, init: RequestInit, bytes: number): Promise<Response> {
    return new Promise((resolve, reject) => {
      const gone = new AbortController();
      const link: Link = new Link(`${this.#name}.${++this.#connections}`, this.#scheduler, this.delays, {
        arrived: () => {},
        lost: () => {
          this.links.delete(link);
          reject(new TypeError('fetch failed'));
        },
        ended: () => this.links.delete(link),
      });
      this.links.add(link);
      if (this.#offlineUntil > this.#scheduler.now) return link.cut();
      link.note('request', `${init.method ?? 'GET'} ${bytes}`);
      link.down.onCut(() => gone.abort());
      link.up.send(REQUEST_BYTES + bytes, async () => {
        const response = await this.#worker.fetch(url, { ...init, signal: gone.signal });
        const body = new Uint8Array(await this.#scheduler.standStill(response.arrayBuffer()));
        link.note('response', `${response.status} ${body.length} ${hashBytes(body)}`);
        this.#scheduler.noteActive();
        link.down.send(RESPONSE_BYTES + body.length, () => {
          link.finish();
          const { status, headers } = response;
          resolve(new Response(status === 204 || status === 304 ? null : body, { status, headers }));
        });
      });
    });
  }

  async #upgrade(url: string, protocols: readonly string[], link: Link, events: ConnectEvents): Promise<void> {
    const response = await this.#ask(url, protocols);
    const socket = response.webSocket;
    const protocol = response.headers.get('Sec-WebSocket-Protocol') ?? '';
    link.note('upgraded', `${response.status} ${protocol}`);
    if (socket && link.isOver) return link.couple(socket.endpoint);
    link.down.send(UPGRADE_BYTES, () => {
      const isAgreed = protocols.length === 0 ? protocol === '' : protocols.includes(protocol);
      if (socket && isAgreed) events.opened(protocol);
      else link.cut();
    });
    if (socket) link.couple(socket.endpoint);
  }

  /** Completes an upgrade that a proxy has sent a second time. There is no client at the other end. */
  async #upgradeForNobody(url: string, protocols: readonly string[]): Promise<void> {
    const response = await this.#ask(url, protocols);
    const end = response.webSocket?.endpoint;
    if (end === undefined) return;
    end.receiveWith(() => {});
    this.#later(NOBODY_MS, () => end.transmit({ kind: 'lost' }));
  }

  /** Sends an upgrade to the Worker. */
  async #ask(url: string, protocols: readonly string[]): Promise<UpgradeResponse> {
    const headers = new Headers({ Upgrade: 'websocket', Connection: 'Upgrade' });
    if (protocols.length > 0) headers.set('Sec-WebSocket-Protocol', protocols.join(', '));
    return (await this.#worker.fetch(url.replace(/^ws/, 'http'), { headers })) as UpgradeResponse;
  }

  #later(mostMs: number, job: () => void): void {
    const { random } = this.#scheduler;
    this.#scheduler.after(random.between(`later ${this.#name}`, 0, mostMs), this.#name, 'later', job);
  }

  #makeRealm(name: string): Realm {
    const realm = new Realm(name, this.#scheduler, this.#clock);
    networks.ofRealms.set(realm, this);
    if (this.#isPage) pages.set(realm, new Page(realm));
    return realm;
  }
}

type UpgradeResponse = Response & { webSocket: ObjectWebSocket | null };
