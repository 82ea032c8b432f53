import { PassThrough } from 'node:stream';
import { fetchDescription, type TargetDescription } from '@lumenize/inspect';
import { connection } from '@lumenize/rpc';
import type { Command } from 'commander';
import { addTargetOptions, connectTo, type TargetOptions } from '../connect-options.ts';
import { reportFailure } from '../failure.ts';
import { withoutControls } from '../printable.ts';
import { feedLines } from '../repl/feed-lines.ts';
import { startRepl } from '../repl/start-repl.ts';
import { readTargetUrl } from '../target-url.ts';

/** Adds `repl`, a prompt with the object's members in its context. */
export function addRepl(program: Command): void {
  const command = program
    .command('repl')
    .description('explore an object: its members are at hand by their names, and all of it as `rpc`')
    .argument('<url>', 'where the object is, such as ws://localhost:8787/rpc/counter/main');
  addTargetOptions(command).action(async (url: string, options: TargetOptions) => {
    process.exitCode = await explore(url, options).catch(reportFailure);
  });
}

async function explore(url: string, options: TargetOptions): Promise<number> {
  const description = await fetchDescription(readTargetUrl(url), options);
  const root = connectTo(url, options);
  console.log(withoutControls(greeting(url, description)));
  const isOver = new AbortController();
  const lines = process.stdin.isTTY ? undefined : new PassThrough();
  const repl = startRepl(root, description, lines && { input: lines, output: process.stdout, terminal: false });
  if (lines !== undefined) void feedLines(repl, lines, isOver.signal);
  const stop = connection(root).onStateChange((state, reason) => {
    if (state === 'closed' || reason === undefined) return;
    process.stderr.write(withoutControls(`(${state}: ${reason.message})\n`));
  });
  await new Promise((resolve) => repl.once('exit', resolve));
  isOver.abort();
  stop();
  connection(root).close();
  return 0;
}

function greeting(url: string, description: TargetDescription | undefined): string {
  const at = `Connected to ${url}, when you make the first call. Results are awaited by themselves.`;
  if (description === undefined) {
    return `${at}\nThe object does not say what it has: call it as rpc.method(). With a getter rpcDescription it would.`;
  }
  const members = description.members.map(({ name, kind }) => (kind === 'method' ? `${name}()` : name));
  return `${at}\n${description.name}: ${members.join(', ')}\nTab completes; .members and .connection tell more.`;
}
