#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { createProject } from './create-project.ts';

const USAGE = 'Usage: npm create lumenize-rpc <folder>, such as my-app';

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) console.log(USAGE);
  else console.log(await createProject(positionals));
} catch (error) {
  console.error(`${(error as Error).message}\n\n${USAGE}`);
  process.exitCode = 2;
}
