import { observeCalls } from '@lumenize/rpc/observe';
import {
  type Caller,
  type Credentials,
  RpcObject,
  type RpcServerOptions,
  RpcTarget,
  routeRpc,
  type StandardSchema,
} from '@lumenize/rpc/server';

/** The functions of an application that the server calls. */
export interface Functions {
  authenticate?(request: Request, credentials: Credentials): unknown;
  target?(caller: Caller): unknown;
  rpcOptions?(): unknown;
  by?(caller: Caller): unknown;
  guard?(): unknown;
  validate?(value: unknown): unknown;
  observe?(): unknown;
  onError?(): unknown;
  onRefused?(): unknown;
  onConnect?(): unknown;
  onDisconnect?(): unknown;
}

/** What each object here has of these functions, by its name. */
export const FUNCTIONS = new Map<string, Functions>();

/** What happened at each object, by its name: calls that ran, and errors that `onError` was told. */
export const HAPPENED = new Map<string, unknown[]>();

export class FaultyObject extends RpcObject {
  readonly #name = this.ctx.id.name!;

  get #own(): Functions {
    return FUNCTIONS.get(this.#name) ?? {};
  }

  override target(caller: Caller): RpcTarget {
    const { target } = this.#own;
    return target ? (target(caller) as RpcTarget) : new (faultyTarget(this.#name))();
  }

  override rpcOptions(): RpcServerOptions {
    const { rpcOptions, by, observe, onRefused } = this.#own;
    if (rpcOptions !== undefined) return rpcOptions() as RpcServerOptions;
    return {
      ...(by && { rateLimits: { identity: { operationsPerSecond: 1, burst: 100, by: by as () => string } } }),
      ...(observe && { observe: observeCalls(observe as () => undefined) }),
      onRefused: () => onRefused?.(),
      onError: (error, method) => {
        HAPPENED.get(this.#name)?.push(`${method}: ${error}`);
        return this.#own.onError?.() as undefined;
      },
    };
  }

  protected override onConnect(): void {
    return this.#own.onConnect?.() as undefined;
  }

  protected override onDisconnect(): void {
    HAPPENED.get(this.#name)?.push('disconnected');
    return this.#own.onDisconnect?.() as undefined;
  }
}

/** Makes the class of a target whose methods are checked by the functions of its object. */
function faultyTarget(name: string) {
  const { guard, validate } = FUNCTIONS.get(name) ?? {};
  const schema = validate && { '~standard': { version: 1 as const, vendor: 'test', validate } };
  return class FaultyTarget extends RpcTarget {
    static readonly rpc = {
      run: { ...(guard && { guard: guard as () => boolean }), ...(schema && { args: [schema as StandardSchema] }) },
    };

    run(value: unknown): unknown {
      HAPPENED.get(name)?.push(`ran with ${value}`);
      return value;
    }

    fail(): void {
      throw new Error('of the method');
    }
  };
}

/** Serves `/faulty/faulty/<name>`, for those whom the function of that name knows. */
export async function serveFaulty(
  request: Request,
  { FAULTY }: { FAULTY: DurableObjectNamespace },
): Promise<Response | undefined> {
  const { authenticate } = FUNCTIONS.get(decodeURIComponent(new URL(request.url).pathname.split('/')[3] ?? '')) ?? {};
  return routeRpc(request, { FAULTY }, { prefix: '/faulty', ...(authenticate && { authenticate }) });
}
