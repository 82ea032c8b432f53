import { type Signal, useSignal } from '@preact/signals';
import type { LiveCounterApi } from '../../src/counter/live-counter.ts';
import { useConnection } from '../connection/use-connection.ts';
import type { SectionProps } from '../sections.ts';
import { formatBytes } from '../ui/format.ts';
import { frameLog, type LoggedFrame, MAX_FRAMES } from './frame-log.ts';
import { COLUMNS, FrameRow } from './frame-row.tsx';
import { type Filter, matches, rowsOf } from './rows.ts';

/** So many rows are in the table at once; a filter brings others. */
const MOST_ROWS = 100;
const CALLS_IN_A_TURN = 100;
const NO_FILTER: Filter = { text: '', connection: '', direction: '' };

/** What this page's connections say, as it is said. */
export function InspectorSection({ name, isShown }: SectionProps) {
  const filter = useSignal(NO_FILTER);
  const paused = useSignal<readonly LoggedFrame[] | undefined>(undefined);
  const open = useSignal<number | undefined>(undefined);
  // Nothing is described while nobody looks.
  if (!isShown) return null;
  const frames = paused.value ?? frameLog.frames.value;
  const rows = rowsOf(frames);
  const shown = rows.filter((row) => matches(row, filter.value));
  return (
    <div class="stack inspector">
      <Calls name={name} />
      <Controls filter={filter} paused={paused} frames={frames} />
      <p class="note" role="status">
        {summaryOf(shown.map(({ frame }) => frame))}
      </p>
      {shown.length > 0 && (
        <table>
          <caption class="visually-hidden">Frames of this page’s connections, the newest first</caption>
          <thead>
            <tr>
              {COLUMNS.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, MOST_ROWS).map((row) => (
              <FrameRow
                key={row.frame.number}
                row={row}
                isOpen={row.frame.number === open.value}
                onToggle={() => {
                  open.value = row.frame.number === open.value ? undefined : row.frame.number;
                }}
              />
            ))}
          </tbody>
        </table>
      )}
      <p class="note">
        {shown.length > MOST_ROWS && `The newest ${MOST_ROWS} are shown. `}
        The newest {MAX_FRAMES} frames of all sections are kept, with their bytes, up to 4 MiB. The race is not among
        them: its sockets are in a Worker, where recording would slow it. Nor are signs of life, which are no frames.
      </p>
    </div>
  );
}

/** Something to look at, where no other section has been opened. */
function Calls({ name }: { readonly name: string }) {
  const { stub } = useConnection<LiveCounterApi>('counter', name);
  const read = () => stub.getValue();
  const ask = (calls: () => PromiseLike<unknown>) => () => void Promise.resolve(calls()).catch(() => {});
  return (
    <div class="row">
      <button type="button" class="primary" onClick={ask(read)}>
        Make a call
      </button>
      <button type="button" onClick={ask(() => Promise.all(Array.from({ length: CALLS_IN_A_TURN }, read)))}>
        {CALLS_IN_A_TURN} in a turn
      </button>
      <button type="button" onClick={ask(() => (stub as unknown as { nothing(): PromiseLike<void> }).nothing())}>
        A wrong one
      </button>
    </div>
  );
}

interface ControlsProps {
  readonly filter: Signal<Filter>;
  /** The frames to go on showing, where the view is paused. */
  readonly paused: Signal<readonly LoggedFrame[] | undefined>;
  readonly frames: readonly LoggedFrame[];
}

function Controls({ filter, paused, frames }: ControlsProps) {
  const set = (change: Partial<Filter>) => {
    filter.value = { ...filter.value, ...change };
  };
  const connections = [...new Set(frames.map(({ name }) => name))].sort();
  return (
    <div class="controls">
      <div class="field">
        <label for="filter">Filter</label>
        <input
          id="filter"
          type="search"
          placeholder="a method, a value, a kind"
          autocomplete="off"
          spellcheck={false}
          value={filter.value.text}
          onInput={({ currentTarget }) => set({ text: currentTarget.value })}
        />
      </div>
      <div class="field">
        <label for="connection">Connection</label>
        <select
          id="connection"
          value={filter.value.connection}
          onChange={({ currentTarget }) => set({ connection: currentTarget.value })}
        >
          <option value="">all</option>
          {connections.map((connection) => (
            <option key={connection}>{connection}</option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for="direction">Way</label>
        <select
          id="direction"
          value={filter.value.direction}
          onChange={({ currentTarget }) => set({ direction: currentTarget.value as Filter['direction'] })}
        >
          <option value="">both</option>
          <option value="up">up</option>
          <option value="down">down</option>
        </select>
      </div>
      <div class="row">
        <button
          type="button"
          aria-pressed={paused.value !== undefined}
          onClick={() => {
            paused.value = paused.value === undefined ? frames : undefined;
          }}
        >
          Pause
        </button>
        <button
          type="button"
          onClick={() => {
            frameLog.clear();
            if (paused.value !== undefined) paused.value = [];
          }}
        >
          Clear
        </button>
      </div>
    </div>
  );
}

function summaryOf(frames: readonly LoggedFrame[]): string {
  if (frames.length === 0) return 'No frames. Make a call, or open another section and come back.';
  const sum = (way: string) =>
    frames.filter(({ direction }) => direction === way).reduce((total, { size }) => total + size, 0);
  const count = frames.length === 1 ? 'One frame' : `${frames.length} frames`;
  return `${count}: ${formatBytes(sum('up'))} up, ${formatBytes(sum('down'))} down`;
}
