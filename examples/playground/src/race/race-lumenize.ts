import { RpcObject, RpcTarget } from '@lumenize/rpc/server';
import { CounterImpl } from '../../../counter/src/counter-impl.ts';
import { raceTarget } from './race-target.ts';

const RaceTarget = raceTarget(RpcTarget);

/** The counter that races, behind Lumenize RPC as it ships: over a hibernating socket. */
export class RaceLumenize extends RpcObject {
  override target(): RpcTarget {
    return new RaceTarget(new CounterImpl(this.ctx.storage));
  }
}
