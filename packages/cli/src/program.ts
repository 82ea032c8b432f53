import { Command } from 'commander';
import { addBench } from './commands/bench.ts';
import { addCall } from './commands/call.ts';
import { addDescribe } from './commands/describe.ts';
import { addRepl } from './commands/repl.ts';
import { EXIT, MEANING } from './failure.ts';

const EXIT_CODES = `
Exit codes:
${Object.entries(MEANING)
  .map(([code, meaning]) => `  ${code}  ${meaning}`)
  .join('\n')}`;

/** Creates the command line program with all its commands. */
export function createProgram(version: string): Command {
  const program = new Command('lumenize-rpc')
    .description('Calls, explores and times objects that speak Lumenize RPC.')
    .version(version, '-V, --version', 'display the version')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? EXIT.WORKED : EXIT.USAGE))
    .showSuggestionAfterError()
    .showHelpAfterError('(with --help it says what it takes)')
    .addHelpText('after', EXIT_CODES);
  for (const add of [addCall, addDescribe, addRepl, addBench]) add(program);
  return program;
}
