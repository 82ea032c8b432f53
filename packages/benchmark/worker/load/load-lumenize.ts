import { RpcObject, RpcTarget } from '@lumenize/rpc/server';
import { backEndOn } from '../../src/capacity/back-end.ts';

const backEnd = backEndOn(RpcTarget);

/** The back end of the family *capacity* served by Lumenize RPC as it ships. */
export class LoadLumenize extends RpcObject {
  readonly #target = backEnd(this.ctx.storage.sql) as unknown as RpcTarget;

  override target(): RpcTarget {
    return this.#target;
  }
}
