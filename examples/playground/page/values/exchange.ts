import type { RecordedFrame } from '@lumenize/inspect';
import type { Stub } from '@lumenize/rpc';
import type { ValueLabApi } from '../../src/values/value-lab.ts';
import { sizeOf } from '../race/traffic.ts';
import { CARRIERS, type Carried, messageOf } from './carriers.ts';
import { describeDifference } from './describe-difference.ts';

/** A value that was sent to the object and back, and what became of it, that way and others. */
export interface Exchange {
  readonly sent: unknown;
  readonly ways: readonly Way[];
  readonly frames: readonly RecordedFrame[];
}

/** What one way of carrying values made of one. */
export interface Way {
  readonly name: string;
  readonly how: string;
  readonly carried: Carried;
}

/** Sends a value to the object, which returns it; `frames` is where the connection's frames are told of. */
export async function exchange(stub: Stub<ValueLabApi>, frames: RecordedFrame[], sent: unknown): Promise<Exchange> {
  // What was recorded before is another value's.
  frames.length = 0;
  const carried = await carryOver(stub, sent);
  const own = [...frames];
  const bytes = own
    .filter(({ direction }) => direction === 'down')
    .reduce((sum, frame) => sum + sizeOf(frame.message), 0);
  return {
    sent,
    frames: own,
    ways: [
      {
        name: 'Lumenize RPC',
        how: 'await lab.echo(value)',
        carried: 'refused' in carried ? carried : { ...carried, bytes },
      },
      ...CARRIERS.map(({ name, how, carry }) => ({ name, how, carried: carry(sent) })),
    ],
  };
}

async function carryOver(stub: Stub<ValueLabApi>, sent: unknown): Promise<Carried> {
  try {
    const arrived: unknown = await stub.echo(sent);
    return { arrived, bytes: undefined, lost: describeDifference(arrived, sent) };
  } catch (error) {
    return { refused: messageOf(error) };
  }
}
