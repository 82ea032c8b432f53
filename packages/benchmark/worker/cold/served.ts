import { evictObjects } from '@lumenize/hosts/memory-control';
import { uncompressed } from '../../../../examples/counter/src/uncompressed.ts';
import type { KeyValues } from '../../src/work/work.ts';

/** The binding of the objects. */
export interface Env {
  readonly COUNTER: DurableObjectNamespace;
}

/** The methods that the family *cold* calls. */
export interface ColdMethods {
  getValue(): number;
  echo(value: unknown): unknown;
}

/** Returns the class of targets, made of a library's own `RpcTarget`, with as little other code as possible. */
export function coldTarget<Target extends object>(
  RpcTarget: abstract new () => Target,
): new (
  kv: KeyValues,
) => Target & ColdMethods {
  const Base: abstract new () => object = RpcTarget;

  class ColdTarget extends Base {
    readonly #kv: KeyValues;

    constructor(kv: KeyValues) {
      super();
      this.#kv = kv;
    }

    getValue(): number {
      return this.#kv.get('value') ?? 0;
    }

    echo(value: unknown): unknown {
      return value;
    }
  }

  return ColdTarget as never;
}

type Answer = (request: Request, env: Env) => Promise<Response | undefined> | undefined;

/** Creates a Worker of one subject, which makes objects sleep on request. */
export function coldWorker(answer: Answer): ExportedHandler<Env> {
  return {
    async fetch(request, env) {
      if (new URL(request.url).pathname === '/observed/evict') return Response.json((await evictObjects()) ?? null);
      return (await answer(request, env)) ?? new Response('Not found', { status: 404 });
    },
  };
}

/** Passes a request to the object whose name ends the path; without compression if the path begins with `…-plain`. */
export function toObject(request: Request, { COUNTER }: Env): Promise<Response> | undefined {
  const [, plain, name] = /^\/[a-z]+(-plain)?\/counter\/([^/]+)$/.exec(new URL(request.url).pathname) ?? [];
  return name === undefined ? undefined : COUNTER.getByName(name).fetch(plain ? uncompressed(request) : request);
}
