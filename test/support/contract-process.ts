import { runContractParts } from './contract-page.ts';

// The script of a process: `contract-process <origin> <parts as JSON>` prints what became of each case, in a line each.
const [origin, parts] = process.argv.slice(2);
const results = await runContractParts(origin, JSON.parse(parts));
// What is not written yet when a process exits is lost, where its output is a pipe.
process.stdout.write(`${results.map((each) => JSON.stringify(each)).join('\n')}\n`, () => process.exit());
