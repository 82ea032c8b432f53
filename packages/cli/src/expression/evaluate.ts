import { connection, RpcError } from '@lumenize/rpc';
import type { Expression } from 'acorn';
import type { AnyStub } from '../connect-options.ts';
import { EXIT, exitCodeOf, Failure } from '../failure.ts';
import { isStub } from '../stub.ts';
import { UsageError } from '../usage-error.ts';
import { literalOf, NotLiteral } from './literal.ts';
import type { Part } from './parse.ts';

/**
 * Evaluates an expression on an object, such as `user("ada").name`. Names refer to members of the object; everything
 * else must be a literal. The whole expression travels in one frame.
 * @throws {UsageError} if the expression holds anything else
 */
function evaluate(expression: Expression, root: AnyStub): unknown {
  switch (expression.type) {
    case 'Identifier':
      return memberOf(root, expression.name, true);
    case 'MemberExpression': {
      const { object, property, computed } = expression;
      if (!computed && property.type === 'Identifier') return memberOf(evaluateOn(object, root), property.name, false);
      if (computed && property.type === 'Literal')
        return memberOf(evaluateOn(object, root), String(property.value), false);
      break;
    }
    case 'CallExpression': {
      const { callee, arguments: args } = expression;
      const values = () => args.map((argument) => argumentOf(argument, root));
      // Before it arrives, a function that a call returns is called with `call`.
      if (callee.type === 'CallExpression') return evaluateOn(callee, root).call(null, ...values());
      return evaluateOn(callee, root)(...values());
    }
  }
  throw new UsageError(
    'an expression names a member of the object, and may go on with calls and names, as in profile().owner.name',
  );
}

/**
 * Makes the call of an expression, and returns its result. If the expression leads to a member, `call` makes the call.
 * @throws {UsageError} before anything is sent, if the expression cannot be evaluated
 */
export async function callOf(expression: Expression, root: AnyStub, call: (member: AnyStub) => unknown) {
  const member = evaluate(expression, root) as AnyStub;
  try {
    return await (expression.type === 'CallExpression' ? member : call(member));
  } catch (error) {
    // What the code says is about the last call. Without a connection, none has run.
    const isPart = makesOthers(expression) && connection(root).state === 'open';
    if (!isPart || !(error instanceof RpcError) || exitCodeOf(error) !== EXIT.NOT_RUN) throw error;
    throw new Failure(error, EXIT.UNKNOWN, 'Other calls of the expression may have run.');
  }
}

/** Returns true if an expression makes calls besides the one whose result it has. */
function makesOthers(expression: Expression): boolean {
  let calls = 0;
  JSON.stringify(expression, (_key, part) => {
    calls += Number(part?.type === 'CallExpression');
    return typeof part === 'bigint' ? undefined : part;
  });
  return calls > Number(expression.type === 'CallExpression');
}

/** Returns a member. Names that would make the object a promise, or that tools ask for, are never remote. */
function memberOf(object: AnyStub, name: string, isRoot: boolean): AnyStub {
  // Everything but the root is a promise, and to read its `then` makes the call.
  const member = isRoot || !Object.hasOwn(Promise.prototype, name) ? object[name] : undefined;
  if (!isStub(member)) throw new UsageError(`${name} is no name that a member can have`);
  return member;
}

function evaluateOn(part: Part, root: AnyStub): AnyStub {
  return evaluate(part as Expression, root) as AnyStub;
}

/** Returns an argument. An argument that is not a literal is a result of the object, which inserts it itself. */
function argumentOf(part: Part, root: AnyStub): unknown {
  try {
    return literalOf(part);
  } catch (error) {
    if (error instanceof NotLiteral) return evaluateOn(part, root);
    throw error;
  }
}
