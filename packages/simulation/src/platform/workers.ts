// The replacement of the module `cloudflare:workers`.

/** The base class of Durable Objects. */
export class DurableObject {
  readonly ctx: unknown;
  readonly env: unknown;

  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx;
    this.env = env;
  }
}

/** The base class of entrypoints of Workers. */
export class WorkerEntrypoint {
  readonly ctx: unknown;
  readonly env: unknown;

  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx;
    this.env = env;
  }
}

/** The base class of targets that are passed by reference. */
export class RpcTarget {}

/** The class of stubs received over the platform's own RPC. Nothing here creates one. */
export class RpcStub {}

export const env = {};
