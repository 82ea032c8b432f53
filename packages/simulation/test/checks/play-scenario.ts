import { runScenario } from '../../src/scenarios/run-scenario.ts';

const [name, seed] = process.argv.slice(2);
const wrong = await runScenario(name, Number(seed));
process.stdout.write(JSON.stringify(wrong), () => process.exit());
