// `npm run tool` lists the tools; `npm run tool -- <name> [options]` runs one.
import { listOf } from './list.ts';
import { runTool } from './run-tool.ts';
import { TOOLS } from './tools.ts';

const [name, ...options] = process.argv.slice(2);
const tool = TOOLS.find((each) => each.name === name);
if (tool !== undefined) {
  process.exitCode = await runTool(tool, options);
} else if (name === undefined || name === '--help') {
  process.stdout.write(listOf(TOOLS));
} else {
  process.stderr.write(`There is no tool ${name}.\n\n${listOf(TOOLS)}`);
  process.exitCode = 1;
}
