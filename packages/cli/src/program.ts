import { Command } from 'commander';
import { addBench } from './commands/bench.ts';
import { addCall } from './commands/call.ts';
import { addDescribe } from './commands/describe.ts';
import { addRepl } from './commands/repl.ts';

const EXIT_CODES = `
Exit codes: 0 it worked; 1 the method threw; 2 the command is wrong; 3 the call did not run;
4 nobody knows whether it ran.`;

/** Creates the command line program with all its commands. */
export function createProgram(version: string): Command {
  const program = new Command('lumenize-rpc')
    .description('Calls, explores and times objects that speak Lumenize RPC.')
    .version(version, '-V, --version', 'display the version')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .showSuggestionAfterError()
    .showHelpAfterError('(with --help it says what it takes)')
    .addHelpText('after', EXIT_CODES);
  for (const add of [addCall, addDescribe, addRepl, addBench]) add(program);
  return program;
}
