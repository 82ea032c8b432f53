import { asRpcError } from '../../errors/rpc-error.ts';
import { referenceAddress, stepAddress } from '../../protocol/address.ts';
import {
  CANCEL,
  FORGET,
  RELEASE,
  readNumbers,
  type Signal,
  survivesLoss,
  unknownSignal,
} from '../../protocol/signal.ts';
import { References } from '../references/references.ts';
import type { Session } from '../session.ts';

/**
 * Handles the signals of a frame, except for those that give up calls, which were handled on arrival. `isLost` is true
 * if the connection that the frame came over is gone.
 */
export function handleSignals(session: Session, signals: readonly Signal[], isLost: boolean): void {
  try {
    for (const signal of signals) if (!isLost || survivesLoss(signal)) handleSignal(session, signal);
  } catch (error) {
    session.refuseConnection(asRpcError(error, 'MALFORMED_FRAME'));
  }
}

function handleSignal(session: Session, signal: Signal): void {
  const [kind] = signal;
  const { exports } = session.state(References);
  if (kind === FORGET) for (const id of readNumbers(signal)) exports.release(stepAddress(id), 1);
  else if (kind === RELEASE) {
    const numbers = readNumbers(signal);
    for (let at = 1; at < numbers.length; at += 2) exports.release(referenceAddress(numbers[at - 1]), numbers[at]);
  } else if (kind !== CANCEL) {
    if (session.handleOther === undefined) throw unknownSignal(signal);
    session.handleOther(signal);
  }
}
