import { DurableObject } from 'cloudflare:workers';
import {
  type Caller,
  RpcError,
  RpcObject,
  type RpcServerOptions,
  type RpcTarget,
  routeRpc,
  type Topic,
} from '@lumenize/rpc/server';
import { type ObjectReport, PLANNED } from '../src/programs/keys.ts';
import type { ServerSpec, TargetSpec } from '../src/programs/program.ts';
import { type ScenarioSpec, setEdge } from '../src/scenarios/spec.ts';
import type { Host } from './host.ts';
import { type Identity, identify, OPEN_TO_ANYONE } from './identity.ts';
import { Ledger } from './ledger.ts';
import { scenarioOptions } from './scenario-options.ts';
import { ScenarioTarget } from './scenario-target.ts';
import type { Place } from './scenario-things.ts';
import { createTargetClass } from './target-class.ts';

interface Env {
  PROGRAM: DurableObjectNamespace<Program>;
}

/** Why an object does not serve: its options are not valid. */
const REFUSED_OPTIONS = new Map<string, string>();

/** What nobody planned, by object: it outlives objects. */
const DEFECTS = new Map<string, string[]>();

/** Serves the class that a program describes, which it keeps in its storage, so that it is the same again after it has left memory. */
export class Program extends RpcObject<Env, Identity> {
  /** The version of the class that a program describes. */
  readonly version: number = 0;
  #ledgerMade: Ledger | undefined;
  readonly #live: Record<string, number> = {};
  readonly #life = crypto.randomUUID();
  #served:
    | {
        readonly make: (identity: Identity) => RpcTarget;
        readonly options: ServerSpec;
        readonly scenario: ScenarioSpec | undefined;
        readonly topics: () => readonly Topic<unknown>[];
      }
    | undefined;

  override target({ identity }: Caller<Identity>) {
    const { kv } = this.ctx.storage;
    if (Date.now() < (kv.get<number>('brokenUntil') ?? 0)) {
      throw kv.get('brokenHow') === 'overloaded' ? new RpcError('OVERLOADED', PLANNED) : new Error(PLANNED);
    }
    return this.#serve().make(identity);
  }

  override rpcOptions(): RpcServerOptions {
    const { options, scenario } = this.#serve();
    const { burst, anyone: _, ...limits } = options;
    return {
      limits,
      ...(burst !== undefined && { rateLimits: { connection: { operationsPerSecond: 10, burst } } }),
      ...(scenario && scenarioOptions(scenario)),
      onError: (error, method) => {
        if (error instanceof RpcError || (error as Error | undefined)?.message === PLANNED) return;
        this.#defects.push(`${method}: ${error instanceof Error ? (error.stack ?? error) : String(error)}`);
      },
    };
  }

  override async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (!url.pathname.startsWith('/control/')) {
      try {
        return await super.fetch(request);
      } catch (error) {
        REFUSED_OPTIONS.set(this.ctx.id.name!, (error as Error).message);
        throw error;
      }
    }
    switch (url.pathname.split('/')[3]) {
      case 'define': {
        const spec = await request.text();
        this.ctx.storage.kv.put('spec', spec);
        this.#defects.length = 0;
        REFUSED_OPTIONS.delete(this.ctx.id.name!);
        const { anyone } = (JSON.parse(spec) as TargetSpec).options;
        if (anyone) OPEN_TO_ANYONE.add(this.ctx.id.name!);
        else OPEN_TO_ANYONE.delete(this.ctx.id.name!);
        return new Response();
      }
      case 'break':
        this.ctx.storage.kv.put('brokenUntil', Date.now() + Number(url.searchParams.get('ms')));
        this.ctx.storage.kv.put('brokenHow', url.searchParams.get('how'));
        return new Response();
      case 'report':
        return Response.json(this.#report());
      case 'close': {
        const client = url.searchParams.get('client');
        for (const { caller } of this.connections()) {
          if (caller.identity.client === client)
            this.#closeSockets(caller.connectionId, Number(url.searchParams.get('code')));
        }
        return new Response();
      }
      case 'refused':
        return new Response(REFUSED_OPTIONS.get(this.ctx.id.name!) ?? '');
      case 'abort':
        this.ctx.abort('by a program');
    }
    return new Response(null, { status: 404 });
  }

  get #ledger(): Ledger {
    this.#ledgerMade ??= new Ledger(this.ctx.storage, this.version);
    return this.#ledgerMade;
  }

  get #defects(): string[] {
    const name = `${this.ctx.id}`;
    const defects = DEFECTS.get(name) ?? [];
    DEFECTS.set(name, defects);
    return defects;
  }

  #serve() {
    if (this.#served === undefined) {
      const spec = JSON.parse(this.ctx.storage.kv.get<string>('spec')!) as TargetSpec & { scenario?: ScenarioSpec };
      const { edge } = spec.scenario ?? {};
      if (edge?.at.startsWith('topics.')) setEdge(spec, edge);
      // Made when they are used: making them asks for the options of the server.
      const topics = () => spec.topics.map((options, place) => this.topic<unknown>(`t${place}`, options));
      const host: Host = {
        storage: this.ctx.storage,
        ledger: this.#ledger,
        get topics() {
          return topics();
        },
        options: spec.options,
        defect: (message) => void this.#defects.push(message),
        abort: () => this.ctx.abort('by a method'),
        closeSockets: (connectionId, code) => this.#closeSockets(connectionId, code),
        live: (what, change) => {
          this.#live[what] = (this.#live[what] ?? 0) + change;
        },
      };
      const { options, scenario } = spec;
      const Target = createTargetClass(spec, this.version, host);
      const places = new Map<string, Place>();
      const make = (identity: Identity) =>
        scenario === undefined
          ? new Target(identity)
          : new ScenarioTarget(Object.assign(host, { life: this.#life, places }), identity.version);
      this.#served = { make, topics, options, scenario };
    }
    return this.#served;
  }

  #closeSockets(connectionId: string, code: number): void {
    for (const socket of this.ctx.getWebSockets()) {
      if (JSON.stringify(socket.deserializeAttachment()).includes(connectionId)) socket.close(code, 'by a program');
    }
  }

  #newest(): number[] {
    try {
      return this.#serve()
        .topics()
        .map(({ sequence }) => sequence);
    } catch {
      return []; // The options of a topic are not valid.
    }
  }

  #report(): ObjectReport {
    const { connections, callsInFlight, callsSucceeded, callsFailed } = this.rpcMetrics;
    return {
      rows: this.#ledger.rows(),
      newest: this.#newest(),
      live: this.#live,
      defects: this.#defects,
      tables: this.#ledger.tables(),
      metrics: { connections, callsInFlight, callsSucceeded, callsFailed },
    };
  }
}

/** How often `Limiter` was asked for anything. */
let asked = 0;

/** Knows nothing of this library, and is bound beside the other class. */
export class Limiter extends DurableObject {
  override async fetch(): Promise<Response> {
    asked++;
    return new Response('limited');
  }
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === '/asked') return new Response(String(asked));
    if (pathname.startsWith('/control/')) {
      const object = env.PROGRAM.getByName(pathname.split('/')[2]);
      // An object that is asked to end does not answer.
      return object.fetch(request).catch((error) => new Response(String(error), { status: 500 }));
    }
    const object = pathname.split('/')[3];
    const authenticate = (_request: Request, { token }: { token: string | undefined }) => identify(token, object);
    return (
      (await routeRpc(request, env, { bindings: ['PROGRAM'], authenticate })) ??
      new Response('Not found', { status: 404 })
    );
  },
} satisfies ExportedHandler<Env>;
