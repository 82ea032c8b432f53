import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { SectionProps } from '../sections.ts';
import { formatCount, formatMs } from '../ui/format.ts';
import { CONTESTANTS } from './race.ts';
import { RaceChart } from './race-chart.tsx';
import { NAMES, RaceResult } from './race-result.tsx';
import { BLOCK_MS, createRaceRun, ROUNDS } from './race-run.ts';
import { SCENARIOS } from './scenarios.ts';
import { callsPerSecond, standingOf, turnMs } from './standing.ts';

const IS_LOCAL = ['localhost', '127.0.0.1', '[::1]'].includes(location.hostname);

/** Lumenize RPC against Cap'n Web, on this machine, now. */
export function RaceSection({ name }: SectionProps) {
  const run = useMemo(() => createRaceRun(name), [name]);
  useEffect(() => () => run[Symbol.dispose](), [run]);
  const scenario = useSignal(SCENARIOS[0]);
  const rounds = run.rounds.value;
  const standing = standingOf(rounds);
  const isRunning = run.isRunning.value;
  return (
    <div class="stack race">
      <fieldset class="scenarios" disabled={isRunning}>
        <legend>What is called</legend>
        <div class="row">
          {SCENARIOS.map((each) => (
            <label key={each.id} class="choice">
              <input
                type="radio"
                name="scenario"
                checked={each === scenario.value}
                onChange={() => {
                  scenario.value = each;
                  run.clear();
                }}
              />
              {each.title}
            </label>
          ))}
        </div>
        <pre class="code">
          <code>{scenario.value.code}</code>
        </pre>
      </fieldset>
      <div class="row">
        <button type="button" class="primary" onClick={() => (isRunning ? run.stop() : run.start(scenario.value.id))}>
          {isRunning ? 'Stop' : standing ? 'Race again' : 'Race'}
        </button>
        <p class="note" role="status">
          {progressOf(rounds.length, isRunning)}
        </p>
      </div>
      {run.problem.value && (
        <p class="notice" role="alert">
          {run.problem.value}
        </p>
      )}
      <ul class="legend">
        {CONTESTANTS.map((contestant) => (
          <li key={contestant} data-contestant={contestant}>
            {NAMES[contestant]}
          </li>
        ))}
      </ul>
      <div class="charts">
        <RaceChart
          title="Calls a second, round by round"
          description={standing ? describe(standing.results, 'callsPerSecond', formatCount) : 'No rounds yet'}
          lumenize={rounds.map(({ lumenize }) => callsPerSecond(lumenize))}
          capnweb={rounds.map(({ capnweb }) => callsPerSecond(capnweb))}
          format={formatCount}
        />
        <RaceChart
          title="Time from asking to all answers"
          description={standing ? describe(standing.results, 'turnMs', formatMs) : 'No rounds yet'}
          lumenize={rounds.map(({ lumenize }) => turnMs(lumenize))}
          capnweb={rounds.map(({ capnweb }) => turnMs(capnweb))}
          format={formatMs}
        />
      </div>
      {standing && <RaceResult standing={standing} scenario={scenario.value} />}
      <p class="note">
        {IS_LOCAL
          ? 'Browser, Worker and objects all run on this machine: there is no network between them, and what else the machine does is in the numbers.'
          : 'The network between this machine and the Worker is in the numbers, and what else this machine does.'}{' '}
        Both libraries serve the same class on a counter of its own, over WebSockets without compression, from a Worker
        of this page; frames and bytes are counted there, at the sockets. Each calls for {BLOCK_MS} ms, then the other,{' '}
        {ROUNDS} rounds after one to warm up. For numbers to rely on, run <code>npm run measure</code>.
      </p>
    </div>
  );
}

function progressOf(rounds: number, isRunning: boolean): string {
  if (isRunning) return rounds === 0 ? 'Warming up …' : `Round ${Math.min(rounds + 1, ROUNDS)} of ${ROUNDS}`;
  if (rounds === 0) return `${ROUNDS} rounds, about ${Math.ceil((2 * (ROUNDS + 1) * BLOCK_MS) / 1000)} seconds`;
  return rounds < ROUNDS ? `Stopped after ${rounds} of ${ROUNDS} rounds` : `${ROUNDS} rounds`;
}

/** A chart in words: the medians. */
function describe<Name extends 'callsPerSecond' | 'turnMs'>(
  results: Readonly<Record<(typeof CONTESTANTS)[number], Record<Name, number>>>,
  name: Name,
  format: (value: number) => string,
): string {
  return CONTESTANTS.map((contestant) => `${NAMES[contestant]}: ${format(results[contestant][name])}`).join(', ');
}
