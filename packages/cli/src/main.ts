#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { EXIT } from './failure.ts';
import { createProgram } from './program.ts';

const { version, engines } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

// What an older Node says of it is that the object cannot be reached.
if (!('WebSocket' in globalThis)) {
  process.stderr.write(`lumenize-rpc needs Node.js ${engines.node}, and this is ${process.version}.\n`);
  process.exit(EXIT.USAGE);
}

// Whoever reads what is printed has enough, as `head` does: a subscription would go on for nobody.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

await createProgram(version).parseAsync();
