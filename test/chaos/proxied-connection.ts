import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Random } from '@lumenize/hosts/random';
import type { Direction, Fault, Incident, Plan } from './faults.ts';

/** The proxy, as its connections see it. */
export interface ProxyHost {
  isCalm(): boolean;
  happened(fault: Fault): void;
  ended(): void;
}

/** The longest time of a pause, and of a connection with replayed bytes. */
const LONGEST_PAUSE_MS = 5000;
const LONGEST_REPLAY_MS = 2000;
/**
 * The time after which a stalled connection is reset, so that a long run does not use up its sockets. No client waits so
 * long.
 */
const STALL_MS = 20_000;

/** Forwards bytes between a connection of a client and a connection to the server. */
export class ProxiedConnection {
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #targetPort: number;
  readonly #plan: Plan;
  readonly #random: Random;
  readonly #host: ProxyHost;
  /** Everything that the client has sent, if the plan has a replay. */
  readonly #sent: Buffer[] = [];
  readonly #isReplayed: boolean;
  /** Number of incidents so far, and of chunks since in the direction of the next one. */
  #incidents = 0;
  #chunks = 0;
  /** Stalled directions, each until its promise resolves. */
  readonly #held: Partial<Record<Direction, Promise<void>>> = {};
  readonly #destroyed = Promise.withResolvers<void>();
  readonly #ghosts = new Set<Socket>();

  constructor(client: Socket, targetPort: number, plan: Plan, random: Random, host: ProxyHost) {
    this.#client = client;
    this.#server = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    this.#targetPort = targetPort;
    this.#plan = plan;
    this.#isReplayed = plan.incidents.some(({ fault }) => fault === 'replay');
    this.#random = random;
    this.#host = host;
    if (plan.maxDelayMs > 0) host.happened('delay');
    for (const socket of [client, this.#server]) socket.on('error', () => {});
    Promise.all([this.#pump('up', client, this.#server), this.#pump('down', this.#server, client)]).then(() => {
      for (const socket of [client, this.#server]) socket.destroy();
      this.#ended();
    });
  }

  /** Resets all open sockets. */
  destroy(): void {
    for (const socket of [this.#client, this.#server, ...this.#ghosts]) reset(socket);
    this.#ended();
  }

  #ended(): void {
    this.#destroyed.resolve();
    this.#host.ended();
  }

  /** Forwards chunks in order until the source ends or an incident ends the direction. */
  async #pump(direction: Direction, source: Socket, sink: Socket): Promise<void> {
    try {
      for await (const chunk of source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        if (direction === 'up' && this.#isReplayed) this.#sent.push(chunk);
        const incident = this.#incidentAt(direction);
        if (incident !== undefined) {
          this.#host.happened(incident.fault);
          if (!this.#strike(incident, chunk, sink)) return void source.resume();
        }
        await this.#held[direction];
        await this.#forward(chunk, sink);
      }
      await this.#held[direction];
      await new Promise<void>((resolve) => sink.end(resolve));
    } catch {
      // One side was reset. While the direction is stalled, the other side does not learn of it.
      await this.#held[direction];
      this.destroy();
    }
  }

  /** Returns the incident that is due with the next chunk of a direction. */
  #incidentAt(direction: Direction): Incident | undefined {
    const incident = this.#plan.incidents[this.#incidents];
    if (incident?.direction !== direction || this.#host.isCalm() || this.#chunks++ < incident.chunk) return undefined;
    this.#incidents++;
    this.#chunks = 0;
    return incident;
  }

  /** Causes an incident. Returns false if the incident ends its direction. */
  #strike({ fault, direction, both }: Incident, chunk: Buffer, sink: Socket): boolean {
    const directions: Direction[] = both ? ['up', 'down'] : [direction];
    switch (fault) {
      case 'truncate':
        sink.write(chunk.subarray(0, Math.floor(this.#random() * chunk.length)), () => this.destroy());
        return false;
      case 'cut':
        this.destroy();
        return false;
      case 'half-close':
        sink.end();
        return false;
      case 'stall':
        for (const each of directions) this.#held[each] = this.#destroyed.promise;
        this.#afterwards(STALL_MS, () => this.destroy());
        return true;
      case 'pause': {
        const over = this.#afterwards(this.#random() * LONGEST_PAUSE_MS, () => {});
        for (const each of directions) this.#held[each] = over;
        return true;
      }
      case 'replay':
        this.#replay();
        return true;
      default:
        fault satisfies never;
        return true;
    }
  }

  #replay(): void {
    const bytes = Buffer.concat(this.#sent);
    const ghost = connect({ port: this.#targetPort, host: '127.0.0.1' });
    this.#ghosts.add(ghost);
    ghost.on('error', () => {}).on('close', () => this.#ghosts.delete(ghost));
    ghost.resume().write(bytes);
    delay(this.#random() * LONGEST_REPLAY_MS, undefined, { ref: false }).then(() => reset(ghost));
  }

  /** Runs an action after a time, or as soon as the connection has ended. */
  async #afterwards(ms: number, action: () => void): Promise<void> {
    await Promise.race([delay(ms, undefined, { ref: false }), this.#destroyed.promise]);
    action();
  }

  async #forward(chunk: Buffer, sink: Socket): Promise<void> {
    const { maxDelayMs, splits } = this.#plan;
    const isCalm = this.#host.isCalm();
    if (maxDelayMs > 0 && !isCalm) await delay(this.#random() * maxDelayMs);
    if (chunk.length > 1 && !isCalm && splits > 0 && this.#random() < splits) {
      this.#host.happened('split');
      const place = 1 + Math.floor(this.#random() * (chunk.length - 1));
      await write(chunk.subarray(0, place), sink);
      await nextTurn();
      return write(chunk.subarray(place), sink);
    }
    return write(chunk, sink);
  }
}

async function write(bytes: Buffer, sink: Socket): Promise<void> {
  if (!sink.writable) throw new Error('the other side is gone');
  if (sink.write(bytes)) return;
  const gone = new AbortController();
  const close = once(sink, 'close', { signal: gone.signal }).catch(() => {});
  await Promise.race([once(sink, 'drain', { signal: gone.signal }), close]);
  gone.abort();
}

/** Resets a socket. */
function reset(socket: Socket): void {
  // Node does not reset a socket that is about to end. Its handle would stay open and keep the process running.
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
