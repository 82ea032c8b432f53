/**
 * Where an operation's receiver or an argument comes from. 0 is the connection's target; n above it the result of the
 * operation n places earlier in the frame; below, something that the receiver of the frame has kept: see `keptAddress`.
 */
export type Address = number;

/** Addresses of what was kept begin here and go down; signals have the numbers above. */
export const FIRST_KEPT = -16;

/** The address of a reference that the receiver of the frame sent before. */
export function referenceAddress(id: number): Address {
  return FIRST_KEPT - 2 * id;
}

/** The address of the result of an earlier call, which its frame said is only a step. */
export function stepAddress(callId: number): Address {
  return FIRST_KEPT - 2 * callId - 1;
}
