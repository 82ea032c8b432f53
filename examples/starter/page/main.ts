import { connect, connection } from '@lumenize/rpc';
import type { CounterApi } from '../src/counter-api.ts';

const counter = connect<CounterApi>('/rpc/counter/main');
const value = document.querySelector('output')!;
const state = document.querySelector('#state')!;

document.querySelector('button')!.onclick = () => counter.increment();
connection(counter).onStateChange((now) => {
  state.textContent = now;
});

// Both in one frame: no value between the two is missed.
const [values, first] = await Promise.all([counter.watch(), counter.getValue()]);
value.textContent = String(first);
// Where this page was away for too long, there is no event but the notice that some are missing.
for await (const { event } of values) value.textContent = String(event ?? (await counter.getValue()));
