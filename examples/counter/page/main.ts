import { connect, connection } from '@lumenize/rpc';
import type { CounterApi } from '../src/counter-api.ts';
import { ACTIONS, type ActionName } from './actions.ts';
import { explainAction, explainRefresh } from './explain.ts';
import { measure } from './measure.ts';
import { oneAtATime } from './one-at-a-time.ts';
import * as view from './view.ts';
import { whileVisible } from './while-visible.ts';

const name = new URLSearchParams(location.search).get('name') || 'main';
const url = `${location.origin.replace(/^http/, 'ws')}/rpc/counter/${encodeURIComponent(name).replaceAll("'", '%27')}`;

const counter = connect<CounterApi>(url, {
  // Who presses a button wants to know soon.
  maxWaitMs: 2000,
  onStateChange(state, reason) {
    view.showConnection(state);
    view.showError('refresh', state === 'reconnecting' ? explainRefresh(reason) : undefined);
  },
});

// One at a time, so that the cost shown is that of one action, and an older value never replaces a newer one.
const enqueue = oneAtATime();

function attempt(source: view.ErrorSource, task: () => Promise<void>): Promise<void> {
  return enqueue(async () => {
    try {
      await task();
      view.showError(source, undefined);
    } catch (error) {
      view.showError(source, source === 'action' ? explainAction(error) : explainRefresh(error));
    }
  });
}

function act(actionName: ActionName): Promise<void> {
  const action = ACTIONS[actionName];
  return attempt('action', async () => {
    const [value, cost] = await measure(
      () => connection(counter).statistics,
      () => action.run(counter),
    );
    view.showValue(value);
    view.showCost(action.calls, cost);
  });
}

// What other tabs do is seen by asking: this counter is also what the benchmark measures, and publishes nothing.
const refresh = () => attempt('refresh', async () => view.showValue(await counter.getValue()));

view.showAddress(name, url);
view.onAction(act);
whileVisible(refresh, 1000);
