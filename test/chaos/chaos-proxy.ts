import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { seededRandom } from '@lumenize/hosts/random';
import { CALM, drawPlan, FAULTS, type Fault, type Plan } from './faults.ts';
import { ProxiedConnection } from './proxied-connection.ts';

/** A TCP proxy in front of a local port. A seed determines the faults of each connection. */
export class ChaosProxy implements AsyncDisposable {
  readonly counts: Record<Fault, number> = Object.fromEntries(FAULTS.map((fault) => [fault, 0])) as Record<
    Fault,
    number
  >;
  readonly #targetPort: number;
  readonly #seed: number;
  readonly #draw: (random: () => number) => Plan;
  readonly #server: Server;
  readonly #connections = new Set<ProxiedConnection>();
  #accepted = 0;
  #isCalm = false;

  private constructor(targetPort: number, seed: number, draw: (random: () => number) => Plan) {
    this.#targetPort = targetPort;
    this.#seed = seed;
    this.#draw = draw;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accept(socket));
  }

  /** Listens on a free port. `draw` returns the plan of a connection. */
  static async listen(targetPort: number, seed: number, draw = drawPlan): Promise<ChaosProxy> {
    const proxy = new ChaosProxy(targetPort, seed, draw);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Number of connections accepted so far. */
  get accepted(): number {
    return this.#accepted;
  }

  get isCalm(): boolean {
    return this.#isCalm;
  }

  /** Stops causing faults. Stalled connections stay stalled, because the client has to notice them itself. */
  calm(): void {
    this.#isCalm = true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  #accept(socket: Socket): void {
    // Each connection has a sequence of its own, so that their order does not change their faults.
    const random = seededRandom(this.#seed * 1_000_003 + this.#accepted++);
    const plan = this.#isCalm ? CALM : this.#draw(random);
    if (plan.refused) {
      this.counts.refuse++;
      socket.on('error', () => {}).resetAndDestroy();
      return;
    }
    const connection = new ProxiedConnection(socket, this.#targetPort, plan, random, {
      isCalm: () => this.#isCalm,
      happened: (fault) => this.counts[fault]++,
      ended: () => this.#connections.delete(connection),
    });
    this.#connections.add(connection);
  }
}
