import type { RpcTarget } from '#platform';
import { provideOptionSupport, requireTarget } from '../../session/incoming/declarations.ts';
import { createCheck } from './checks.ts';
import { requireForm } from './option-forms.ts';

/** Has the options of methods looked at and their calls checked; to be called before a target is served. */
export function supportOptions(): void {
  provideOptionSupport({ requireForm, createCheck });
}

/**
 * Makes sure that a value can be served, with all that its class says of its methods; `where` begins the message.
 * @throws {TypeError} where its class did not opt in, or its `static rpc` says what cannot be
 */
export function requireServable(value: unknown, where: string): asserts value is RpcTarget {
  supportOptions();
  requireTarget(value, where);
}
