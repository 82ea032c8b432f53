import { RpcObject } from '@lumenize/rpc/server';
import { SoakTarget } from '../soak/soak-target.ts';

/** Serves the soak. */
export class SoakObject extends RpcObject {
  override target(): SoakTarget {
    return new SoakTarget();
  }
}
