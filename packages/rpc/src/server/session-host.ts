import type { Caller } from '../types/call-context.ts';
import type { OfferedClient } from './offer.ts';
import type { ResultStore } from './stored-results.ts';
import type { Topics } from './topics/topics.ts';

/** The caller at the other end of a session, and the parts of the object that it uses. */
export interface SessionHost {
  /** The caller, if this side knows. */
  readonly caller?: Caller | undefined;
  /** Identifies the client; undefined for those that do not say who they are. */
  readonly client?: OfferedClient | undefined;
  /** Returns the topics of the object. */
  readonly topics?: (() => Topics) | undefined;
  /** Returns the topics of the object, if there are any. */
  readonly publishing?: (() => Topics | undefined) | undefined;
  /** Returns the stored results of exactly-once calls. */
  readonly stored?: (() => ResultStore) | undefined;
  /** Keeps the object awake until a promise settles, whatever event of the object is handled. */
  readonly keepAwake?: ((idle: Promise<void>) => void) | undefined;
}
