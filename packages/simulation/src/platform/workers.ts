// What stands for the module `cloudflare:workers`.

/** The base of Durable Objects. */
export class DurableObject {
  readonly ctx: unknown;
  readonly env: unknown;

  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx;
    this.env = env;
  }
}

/** The base of entrypoints of Workers. */
export class WorkerEntrypoint {
  readonly ctx: unknown;
  readonly env: unknown;

  constructor(ctx: unknown, env: unknown) {
    this.ctx = ctx;
    this.env = env;
  }
}

/** The base of what is passed by reference. */
export class RpcTarget {}

/** The class of references received by the platform's own RPC; nothing here makes one. */
export class RpcStub {}

export const env = {};
