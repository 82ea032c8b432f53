#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { EXIT } from './failure.ts';
import { createProgram } from './program.ts';

const { version, engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

// Without this check, an older Node would report that the object cannot be reached.
if (!('WebSocket' in globalThis)) {
  process.stderr.write(`lumenize-rpc needs Node.js ${engines.node}, and this is ${process.version}.\n`);
  process.exit(EXIT.USAGE);
}

// The reader of the output has enough, as `head` does. Without a reader, a subscription would go on forever.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) =>
  process.exit(code === 'EPIPE' ? EXIT.WORKED : EXIT.NOT_SHOWN),
);
// Nobody reads errors and frames any more. The result and the exit code are still wanted.
process.stderr.on('error', () => {});

await createProgram(version).parseAsync();
