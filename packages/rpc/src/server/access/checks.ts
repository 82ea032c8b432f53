import { RpcError } from '../../errors/rpc-error.ts';
import { type RunningCall, runThroughout } from '../../session/incoming/call-context.ts';
import type { Check, MethodOptions } from '../../session/incoming/declarations.ts';
import { denial, noteRefused } from '../../session/incoming/thrown.ts';
import { createValidator } from './validate.ts';

/** Makes the check of a member: its arguments have to be valid, and its guard has to agree. Synchronous, where both are. */
export function createCheck({ guard, args: schema }: MethodOptions, name: string): Check {
  const validate = schema && createValidator(schema, name);
  return (call, given) => {
    const allow = (args: unknown[]) => {
      const allowed = guard === undefined || judge(guard, name, call, args);
      return allowed instanceof Promise ? allowed.then(() => args) : args;
    };
    const valid = validate === undefined ? given : validate(given);
    return valid instanceof Promise ? valid.then((args) => runThroughout(call, allow, args)) : allow(valid);
  };
}

/** Asks a guard. Throws, or rejects, where the call may not be made. */
function judge(
  guard: NonNullable<MethodOptions['guard']>,
  name: string,
  call: RunningCall,
  args: unknown[],
): true | Promise<true> {
  const decide = (answer: unknown): true => {
    // Only this: what is truthy may be a promise of something else, or a stub.
    if (answer === true) return true;
    throw denial(name);
  };
  const failed = (error: unknown): never => {
    throw error instanceof RpcError ? noteRefused(error) : noteRefused(denial(name), { defect: error });
  };
  let answer: unknown;
  try {
    answer = guard(call.caller!, ...args);
  } catch (error) {
    return failed(error);
  }
  return isThenable(answer) ? Promise.resolve(answer).then(decide, failed) : decide(answer);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
