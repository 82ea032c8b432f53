import { describeFrame, formatFrame, type RecordedFrame, recordFrames } from '@lumenize/inspect';
import { connect, type Stub } from '@lumenize/rpc';
import { connectHttp } from '@lumenize/rpc/http';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { withoutControls } from './printable.ts';
import { readTargetUrl } from './target-url.ts';

/** The options of every command that connects. */
export interface TargetOptions {
  readonly token?: string;
  readonly http?: boolean;
  readonly frames?: boolean;
}

/** A stub of any object. Nothing is known about the object in advance. */
// biome-ignore lint/suspicious/noExplicitAny: without a type a stub takes any call
export type AnyStub = Stub<any>;

/** Adds the option for the token that the server checks. */
export function addTokenOption(command: Command): Command {
  // Read from an environment variable and not as a default, because help prints defaults.
  return command.addOption(
    new Option('--token <token>', 'what to show to the server’s authenticate()').env('LUMENIZE_RPC_TOKEN'),
  );
}

/** Adds the options of every command that connects. */
export function addTargetOptions(command: Command): Command {
  return addTokenOption(command)
    .option('--http', 'send calls as POSTs instead of over a WebSocket')
    .option('--frames', 'show every frame, decoded, on stderr');
}

/**
 * Connects to an object. Calls fail at once if there is no connection, because a user at a terminal does not want to
 * wait.
 * @throws {UsageError} if the URL is invalid
 */
export function connectTo(url: string, options: TargetOptions): AnyStub {
  const target = readTargetUrl(url);
  const how = {
    token: options.token,
    maxWaitMs: 0,
    ...(options.frames && { wrapTransport: recordFrames(showFrame) }),
  };
  return options.http ? connectHttp(target, how) : connect(target, how);
}

let firstMs: number | undefined;

function showFrame({ direction, message, timeMs }: RecordedFrame): void {
  firstMs ??= timeMs;
  const when = `${(timeMs - firstMs).toFixed(1).padStart(8)} ms`;
  const text = formatFrame(describeFrame(message)).replaceAll('\n', `\n${' '.repeat(16)}`);
  process.stderr.write(withoutControls(`${when}  ${direction.padEnd(4)} ${text}\n`));
}

/** Reads an option that is a count. */
export function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError('It should be a whole number from 1 on.');
  return count;
}
