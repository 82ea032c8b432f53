import { RpcObject, type RpcServerOptions } from '@lumenize/rpc/server';
import { SoakTarget } from '../soak/soak-target.ts';

/** Serves the soak. */
export class SoakObject extends RpcObject {
  /** A million calls in a row are more than a stranger may make. */
  override rpcOptions(): RpcServerOptions {
    return { rateLimits: { connection: false } };
  }

  override target(): SoakTarget {
    return new SoakTarget();
  }
}
