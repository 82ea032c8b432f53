import { DurableObject } from 'cloudflare:workers';
import { newWorkersRpcResponse, RpcTarget } from 'capnweb';
import { CounterImpl } from '../../../counter/src/counter-impl.ts';
import { uncompressed } from '../../../counter/src/uncompressed.ts';
import { raceTarget } from './race-target.ts';

const RaceTarget = raceTarget(RpcTarget);

/** The same counter behind Cap'n Web, as its documentation says, and like the other without the platform's compression of frames. */
export class RaceCapnWeb extends DurableObject {
  override fetch(request: Request): Promise<Response> {
    return newWorkersRpcResponse(uncompressed(request), new RaceTarget(new CounterImpl(this.ctx.storage)));
  }
}
