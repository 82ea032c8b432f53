import { type Hunt, runChild } from '../../src/mutants/child.ts';

const [seed, ms, ...mutants] = process.argv.slice(2);
const hunts: Hunt[] = [];
for (const mutant of mutants) hunts.push(await runChild({ mutant, firstSeed: Number(seed), ms: Number(ms) }));
process.stdout.write(JSON.stringify(hunts));
