import { RpcError } from '../../errors/rpc-error.ts';
import { currentCall, type RunningCall, runThroughout } from '../../session/incoming/call-context.ts';
import type { AnyMember, MethodOptions } from '../../session/incoming/declarations.ts';
import { noteRefused } from '../../session/incoming/thrown.ts';
import { createValidator } from './validate.ts';

/** Wraps a member, so that it runs where its arguments are valid and its guard agrees: in the same run, where both are synchronous. */
export function checkMember(member: AnyMember, { guard, args: schema }: MethodOptions, name: string): AnyMember {
  const validate = schema && createValidator(schema, name);

  return function (this: object, ...given: unknown[]): unknown {
    const call = currentCall();
    // Never without a caller: whatever calls so has forgotten to say for whom.
    if (call === undefined) throw noteRefused(denial(name));
    const valid = validate === undefined ? given : validate(given);
    if (valid instanceof Promise) {
      return valid.then((args) => {
        const allowed = guard === undefined || judge(guard, name, call, args);
        return allowed instanceof Promise ? allowed.then(() => runLater(this, args, call)) : runLater(this, args, call);
      });
    }
    const allowed = guard === undefined || judge(guard, name, call, valid);
    if (allowed instanceof Promise) return allowed.then(() => runLater(this, valid, call));
    return Reflect.apply(member, this, valid);
  };

  function runLater(target: object, args: unknown[], call: RunningCall): unknown {
    // Who gave up while it waited is not to be surprised by its effects.
    if (call.isOver) throw noteRefused(new RpcError('CANCELLED', 'the caller gave up before the call began'));
    return runThroughout(call, () => Reflect.apply(member, target, args));
  }
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
    throw noteRefused(denial(name));
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

function denial(name: string): RpcError {
  return new RpcError('DENIED', `${name} may not be called by this caller`);
}
