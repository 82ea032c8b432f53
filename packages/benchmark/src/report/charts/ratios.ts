import { scenarioRatios } from '../ratio-picks.ts';
import { isMain, scenarioTitle } from '../scenario-names.ts';
import { ratioChart } from './ratio-chart.ts';

const SUBTITLE =
  'Time of the other over time of Lumenize RPC, and its 95 % interval; to the right of 1, Lumenize RPC is faster.';
const THROUGHPUT_NAME = /^throughput\/(\d+)x(\d+)$/;
const COLUMNS = [206, 352, 690] as const;

/** How many times as fast Lumenize RPC is, in the newest run of the short profile or of the full one. */
export const RATIOS = ratioChart({
  name: 'ratios',
  title: 'Ratios',
  alt: "Ratios of times of Cap'n Web and of raw JSON to those of Lumenize RPC, with 95 % intervals",
  command: 'npm test -- performance',
  heading: 'How many times as fast Lumenize RPC is',
  subtitle: SUBTITLE,
  where: 'On workerd, over sockets that hibernate where they can',
  columns: COLUMNS,
  pick(run) {
    if (run.profile !== 'short' && run.profile !== 'full') return [];
    return scenarioRatios(run, isMain).map(titled);
  },
});

/** Chains, batches, arguments that are results, and callbacks. */
export const PIPELINE = ratioChart({
  name: 'pipeline',
  title: 'Pipelines',
  alt: "Ratios of Cap'n Web's times to those of Lumenize RPC, in chains, batches, map and callbacks",
  command: 'npm run measure -- --family pipeline',
  heading: 'Chains, batches, map and callbacks',
  subtitle: SUBTITLE,
  where: 'On workerd, over sockets that hibernate where they can',
  columns: COLUMNS,
  pick: (run) => scenarioRatios(run, (scenario) => scenario.startsWith('pipeline/')).map(titled),
});

/** Events, by the number of their subscribers. */
export const EVENTS = ratioChart({
  name: 'events',
  title: 'Events',
  alt: "Ratios of the times of Cap'n Web callbacks and of raw JSON to those of topics, for 1, 100 and 1000 subscribers",
  command: 'npm run measure -- --family events',
  heading: 'From publish to every subscriber',
  subtitle: SUBTITLE,
  where: 'Each on a connection of its own, on workerd',
  columns: COLUMNS,
  pick: (run) =>
    scenarioRatios(run, (scenario) => scenario.startsWith('events/'))
      .toSorted((a, b) => eventOrder(a.scenario) - eventOrder(b.scenario))
      .map(titled),
});

/** What gateways do: with a token, and with a session that others hear of. */
export const GATEWAY = ratioChart({
  name: 'gateway',
  title: 'Requests of a gateway',
  alt: "Ratios of the times of Cap'n Web and of raw JSON to those of Lumenize RPC, for what gateways are asked",
  command: 'npm run measure -- --family latency',
  heading: 'Requests of a gateway',
  subtitle: SUBTITLE,
  where: 'On workerd, over sockets that hibernate where they can',
  columns: COLUMNS,
  pick: (run) => scenarioRatios(run, (scenario) => scenario.startsWith('latency/')).map(titled),
});

/** Calls in a closed loop. */
export const THROUGHPUT = ratioChart({
  name: 'throughput',
  title: 'Throughput',
  alt: "Ratios of the time that Cap'n Web and raw JSON take for calls of twenty connections to that of Lumenize RPC",
  command: 'npm run measure -- --family throughput',
  heading: 'Calls of many connections, each with the next when one is answered',
  subtitle: SUBTITLE,
  where: 'On workerd, over sockets that hibernate where they can',
  columns: COLUMNS,
  pick: (run) =>
    scenarioRatios(run, (scenario) => THROUGHPUT_NAME.test(scenario))
      .toSorted((a, b) => inFlight(a.scenario) - inFlight(b.scenario))
      .map(({ scenario, comparisons }) => ({
        title: `${scenario.match(THROUGHPUT_NAME)?.[1]} connections, ${inFlight(scenario)} in flight`,
        comparisons,
      })),
});

function inFlight(scenario: string): number {
  return Number(scenario.match(THROUGHPUT_NAME)?.[2]);
}

/** First one event at a time, then bursts; each by the number of subscribers. */
function eventOrder(scenario: string): number {
  return Number(scenario.match(/\d+/)?.[0] ?? 0) + (scenario.endsWith('-burst') ? 1e6 : 0);
}

function titled({ scenario, comparisons }: ReturnType<typeof scenarioRatios>[number]) {
  return { title: scenarioTitle(scenario), comparisons };
}
