import { type REPLServer, type ReplOptions, start } from 'node:repl';
import type { TargetDescription } from '@lumenize/inspect';
import { connection, RpcError } from '@lumenize/rpc';
import type { AnyStub } from '../connect-options.ts';
import { tryParse } from '../expression/parse.ts';
import { printable, withoutControls } from '../printable.ts';

type Context = Parameters<REPLServer['eval']>[1];
type Done = Parameters<REPLServer['eval']>[3];

/** Starts a prompt with the members of `root` in its context. */
export function startRepl(
  root: AnyStub,
  description: TargetDescription | undefined,
  streams: ReplOptions = {},
): REPLServer {
  const repl = start({
    ...streams,
    prompt: 'rpc> ',
    useGlobal: false,
    // A preview would make the call.
    preview: false,
    // Ctrl-C also ends waiting, such as a loop over a subscription, and not only computing.
    breakEvalOnSigint: true,
    // Errors of calls are shown by their messages, because their stacks would be those of this program.
    writer: (value) =>
      value instanceof RpcError ? withoutControls(`${value.code}: ${value.message}`) : printable(value, repl.useColors),
  });
  provideMembers(repl, root, description);
  awaitResults(repl);
  addCommands(repl, root, description);
  return repl;
}

/**
 * Adds the members to the context, by their names and in `rpc`. Completion needs them, because a stub does not list its
 * members.
 */
function provideMembers(repl: REPLServer, root: AnyStub, description: TargetDescription | undefined): void {
  if (description === undefined) {
    Object.defineProperty(repl.context, 'rpc', { value: root, enumerable: true });
    return;
  }
  const members: PropertyDescriptorMap = {};
  for (const { name, kind } of description.members) {
    const member =
      kind === 'method' ? { value: (...args: unknown[]) => root[name](...args) } : { get: () => root[name] };
    members[name] = { ...member, enumerable: true, configurable: true };
    if (!(name in repl.context)) Object.defineProperty(repl.context, name, members[name]);
  }
  Object.defineProperty(repl.context, 'rpc', { value: Object.create(null, members), enumerable: true });
}

/** Awaits every result before it is shown and the next line is read, even without `await` in the line. */
function awaitResults(repl: REPLServer): void {
  const evaluate = repl.eval;
  Object.assign(repl, {
    eval(this: REPLServer, code: string, ...rest: [Context, string, Done]) {
      evaluate.call(this, isToBeAwaited(code) ? `await (${code.trim()})\n` : code, ...rest);
    },
  });
}

/**
 * Returns true if a line is an expression. A named function or class is a declaration: in parentheses, its name would
 * be lost.
 */
function isToBeAwaited(code: string): boolean {
  const expression = tryParse(code);
  const isDeclared =
    (expression?.type === 'FunctionExpression' || expression?.type === 'ClassExpression') && Boolean(expression.id);
  return expression !== undefined && (!isDeclared || code.trimStart().startsWith('('));
}

function addCommands(repl: REPLServer, root: AnyStub, description: TargetDescription | undefined): void {
  const define = (name: string, help: string, show: () => void) =>
    repl.defineCommand(name, {
      help,
      action() {
        show();
        this.displayPrompt();
      },
    });
  define('members', 'What can be called', () => {
    if (description === undefined) {
      console.log('The object does not say: its target would need a getter rpcDescription.');
    }
    for (const { name, kind, options } of description?.members ?? []) {
      const declared = options.length > 0 ? `  (${options.join(', ')})` : '';
      console.log(withoutControls(`${kind.padEnd(7)} ${name}${declared}`));
    }
  });
  define('connection', 'State of the connection, and what has gone over it', () => {
    const { state, statistics } = connection(root);
    console.log(state, statistics);
  });
}
