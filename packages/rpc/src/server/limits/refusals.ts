import type { RpcError, RpcErrorCode } from '../../errors/rpc-error.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import { tell } from '../report.ts';

/** Told of a call, a frame or a connection that was refused: by which code, what it was, and whose. */
export type OnRefused = (code: RpcErrorCode, what: string, caller: Caller | undefined) => void;

/** Codes that say how a call ended that was not refused. */
const NO_REFUSALS: ReadonlySet<RpcErrorCode> = new Set([
  'NOT_EXECUTED',
  'OUTCOME_UNKNOWN',
  'REFERENCE_LOST',
  'CANCELLED',
  'TIMED_OUT',
]);

/** Counts what was refused, since the object woke. */
export class Refusals {
  readonly #counts = new Map<string, number>();
  readonly #onRefused: OnRefused | undefined;

  constructor(onRefused: OnRefused | undefined) {
    this.#onRefused = onRefused;
  }

  /** How often, by the name of the limit, or by the code where it is none. */
  get counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  add(error: RpcError, what: string, caller: Caller | undefined): void {
    if (NO_REFUSALS.has(error.code)) return;
    const name = limitOf(error) ?? error.code;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    tell('onRefused', () => this.#onRefused?.(error.code, what, caller));
  }
}

/** The limit that an error is about: its message begins with the name. */
function limitOf({ message }: RpcError): string | undefined {
  return /^(?:max[A-Z]\w+|rateLimits\.\w+)/.exec(message)?.[0];
}
