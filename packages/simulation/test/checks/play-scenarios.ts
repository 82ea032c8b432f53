import { SCENARIOS } from '../../src/scenarios/all.ts';
import { runScenario } from '../../src/scenarios/run-scenario.ts';

const wrong: Record<string, readonly string[]> = {};
for (const name of Object.keys(SCENARIOS)) wrong[name] = await runScenario(name, Number(process.argv[2]));
process.stdout.write(JSON.stringify(wrong), () => process.exit());
