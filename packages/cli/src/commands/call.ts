import { connection, RpcError, withOptions } from '@lumenize/rpc';
import type { Command } from 'commander';
import { type AnyStub, addTargetOptions, connectTo, readCount, type TargetOptions } from '../connect-options.ts';
import { callOf } from '../expression/evaluate.ts';
import { parse, refuseTwice } from '../expression/parse.ts';
import { readArgument } from '../expression/read-argument.ts';
import { EXIT, Failure, reportFailure } from '../failure.ts';
import { asJson, printable } from '../printable.ts';

interface CallOptions extends TargetOptions {
  readonly json?: boolean;
  readonly timeout: number;
}

const EXAMPLES = `
Examples:
  lumenize-rpc call localhost:8787/rpc/counter/main increment 5
  lumenize-rpc call localhost:8787/rpc/counter/main 'profile().owner.name'
  lumenize-rpc call localhost:8787/rpc/store/main put key 'new Map([["a", 1n]])'`;

/** Adds `call`, which makes one call, or a chain of calls, and prints the result. */
export function addCall(program: Command): void {
  const command = program
    .command('call')
    .description('make a call and print its result; of a subscription or stream, everything as it comes')
    .argument('<url>', 'where the object is, such as ws://localhost:8787/rpc/counter/main')
    .argument('<member>', 'a method, a getter, or a chain such as profile().owner.name')
    .argument('[arguments...]', 'JavaScript values; what is none is text. After -- they may begin with -')
    .option('--json', 'print the result as JSON')
    .option('--timeout <ms>', 'how long to wait for the result', readCount, 30_000)
    .addHelpText('after', EXAMPLES);
  addTargetOptions(command).action(async (url: string, member: string, args: string[], options: CallOptions) => {
    process.exitCode = await call(url, member, args, options).catch(reportFailure);
  });
}

async function call(url: string, member: string, texts: string[], options: CallOptions): Promise<number> {
  const args = texts.map(readArgument);
  const expression = parse(member);
  refuseTwice(expression, member, args);
  const root = connectTo(url, options);
  try {
    const target = withOptions(root, { timeoutMs: options.timeout });
    await print(await callOf(expression, target, (member) => callOrRead(member, args)), options);
  } finally {
    connection(root).close();
  }
  return 0;
}

/** Prints a result. The call has run, so that nothing here may say that the command is wrong or that nothing ran. */
async function print(result: unknown, { json }: CallOptions): Promise<void> {
  const show = (value: unknown) => {
    try {
      console.log(json ? asJson(value) : printable(value, process.stdout.hasColors?.()));
    } catch (error) {
      throw new Failure(error, EXIT.NOT_SHOWN, SHOWN);
    }
  };
  if (!isIterable(result)) return show(result);
  try {
    for await (const item of result) show(item);
  } catch (error) {
    // Any other error is one that the method throws while it is read.
    throw error instanceof RpcError ? new Failure(error, EXIT.NOT_SHOWN, SHOWN) : error;
  }
}

const SHOWN = 'The call has run; its result, or the rest of it, is not shown.';

/**
 * Calls a method. Without arguments, the member may also be a getter. If there is no such method, nothing has run, so
 * the member is read instead.
 */
async function callOrRead(member: unknown, args: unknown[]): Promise<unknown> {
  const stub = member as AnyStub;
  try {
    return await stub(...args);
  } catch (error) {
    if (!isNoMember(error) || args.length > 0) throw error;
    // Of a member that is not there either, the message about the method says more.
    return await stub.catch((unread: unknown) => {
      throw isNoMember(unread) ? error : unread;
    });
  }
}

function isNoMember(error: unknown): boolean {
  return error instanceof RpcError && error.code === 'METHOD_NOT_FOUND';
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as Partial<AsyncIterable<unknown>> | null)?.[Symbol.asyncIterator] === 'function';
}
