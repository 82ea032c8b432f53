import { subjectName } from '../../log/names.ts';
import { isControl } from '../../statistics/comparison.ts';
import { scenarioTitle } from '../scenario-names.ts';
import { ratioChart } from './ratio-chart.ts';

/** What one call is carried over, in the order of the chart. */
const CARRIERS = ['lumenize-http', 'lumenize-port', 'lumenize-native'];

/** Large values and streams over sockets, and calls over everything else that carries them. */
export const TRANSPORTS = ratioChart({
  name: 'transports',
  title: 'Transports',
  alt: "Ratios of times to those of Lumenize RPC with large values, streams, HTTP, MessagePorts and the platform's RPC",
  command: 'npm run measure -- --family transports',
  heading: 'Large values, streams, and what else carries calls',
  subtitle:
    'Time of the other over time of Lumenize RPC, and its 95 % interval; to the right of 1, Lumenize RPC is faster.',
  where: 'On workerd; ports are between threads of Node',
  columns: [236, 366, 690],
  pick(run) {
    const here = run.comparisons.filter((each) => each.host === 'workerd' && !isControl(each));
    const large = here.filter(({ scenario, subject }) => subject === 'lumenize' && /^(echo|stream)\//.test(scenario));
    const carried = CARRIERS.flatMap((carrier) => here.filter(({ subject }) => subject === carrier));
    const groups = Map.groupBy([...large, ...carried], ({ scenario, subject }) =>
      subject === 'lumenize' ? scenarioTitle(scenario) : `${scenarioTitle(scenario)}, ${over(subject)}`,
    );
    return [...groups].map(([title, comparisons]) => ({ title, comparisons }));
  },
});

function over(subject: string): string {
  return subjectName(subject).replace(/^Lumenize RPC over (a |the )?/, 'over ');
}
