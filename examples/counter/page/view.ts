import type { ConnectionState } from '@lumenize/rpc';
import type { ActionName } from './actions.ts';
import type { Cost } from './measure.ts';

/** What went wrong: an action that the visitor asked for, or the page's own look at the counter. */
export type ErrorSource = 'action' | 'refresh';

const CONNECTION_TEXT: Record<ConnectionState, string> = {
  idle: 'Not connected',
  connecting: 'Connecting …',
  open: 'Connected',
  reconnecting: 'Connecting again …',
  closed: 'Closed',
};

const value = element('value');
const connection = element('connection');
const error = element('error');
const errors: Record<ErrorSource, string | undefined> = { action: undefined, refresh: undefined };
const wholeNumber = new Intl.NumberFormat('en');

/** Fills in what depends on the counter's address and nothing else. */
export function showAddress(name: string, url: string): void {
  document.title = `${name} · Lumenize RPC`;
  element('name').textContent = name;
  element<HTMLAnchorElement>('second-tab').href = `?name=${encodeURIComponent(name)}`;
  element('snippet').textContent =
    `import { connect } from '@lumenize/rpc';\nusing counter = connect('${url}');\nconsole.log(await counter.increment());`;
}

export function showValue(current: number): void {
  const text = wholeNumber.format(current);
  // Setting the same text again would make screen readers repeat it.
  if (value.textContent === text) return;
  value.textContent = text;
  value.style.setProperty('--length', String(text.length));
}

export function showConnection(state: ConnectionState): void {
  connection.dataset.state = state;
  connection.textContent = CONNECTION_TEXT[state];
}

export function showCost(calls: number, cost: Cost): void {
  const items: Record<string, string | number> = { ...cost, calls, roundTrip: `${cost.roundTripMs.toFixed(1)} ms` };
  for (const item of document.querySelectorAll<HTMLElement>('[data-cost]')) {
    item.textContent = String(items[item.dataset.cost!]);
  }
}

/** Shows what went wrong and what to do about it, beside the other source's error, until the same source reports that all is well (`undefined`). */
export function showError(source: ErrorSource, text: string | undefined): void {
  errors[source] = text;
  const shown = [errors.action, errors.refresh].filter(Boolean).join(' ');
  if (error.textContent !== shown) error.textContent = shown;
  error.hidden = shown === '';
}

/** Calls `listener` with the name of each button that is pressed. */
export function onAction(listener: (name: ActionName) => void): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-action]')) {
    button.addEventListener('click', () => listener(button.dataset.action as ActionName));
  }
}

function element<E extends HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}
