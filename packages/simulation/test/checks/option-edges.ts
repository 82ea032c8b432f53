import type { OptionSide } from '../../src/scenarios/known-edges.ts';
import { knownEdge } from '../../src/scenarios/known-edges.ts';
import { edgesOf } from '../../src/scenarios/options.ts';
import { runScenario } from '../../src/scenarios/run-scenario.ts';

/** The scenario that tries the options of a side. */
const SCENARIO: Readonly<Record<OptionSide, string>> = {
  server: 'serverOptions',
  topic: 'topicOptions',
  client: 'clientOptions',
};

// Tries every option with each of its values, or those with a text in their names. Prints what is not as it is known.
const [only = ''] = process.argv.slice(2);
const wrong: Record<string, readonly string[]> = {};
for (const side of Object.keys(SCENARIO) as OptionSide[]) {
  for (const edge of edgesOf(side)) {
    const name = `${side} ${edge.at} ${edge.value}`;
    if (!name.includes(only)) continue;
    const known = knownEdge(edge);
    const found = await runScenario(SCENARIO[side], 1, undefined, edge);
    if (known === undefined && found.length > 0) wrong[name] = found;
    else if (known !== undefined && !found.some((each) => known.says.test(each))) {
      wrong[name] = [`it does not fail as src/scenarios/known-edges.ts says: ${found}`];
    }
  }
}
process.stdout.write(JSON.stringify(wrong), () => process.exit());
