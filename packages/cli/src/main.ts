#!/usr/bin/env node
import { createProgram } from './program.ts';

// Whoever reads what is printed has enough, as `head` does: a subscription would go on for nobody.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

await createProgram().parseAsync();
