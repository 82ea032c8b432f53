import type { CallRecord } from '../driver/history.ts';
import type { Facts } from './facts.ts';

/**
 * Checks that nothing is left after everything has ended: no row, no reference, no stream, no timer, and no error that
 * was not reported.
 */
export function checkLeaks(facts: Facts): string[] {
  const { report, history } = facts.run;
  const { clients, target } = facts.program;
  // A connection that may have been refused a token of another user is as one that has expired.
  const changes = history.lives.some((life) => life.changes.length > 0);
  const expires = changes || clients.some(({ expiresMs }) => expiresMs !== undefined);
  const mayBeRefused =
    facts.refusesForGood ||
    changes ||
    target.options.burst !== undefined ||
    (target.options.maxCallsInFlight !== undefined && history.calls.some(mayLeaveStep));
  const wrong = history.left.filter(
    (each) =>
      !(mayBeRefused && each.startsWith('the last call')) &&
      // An object that has left memory tells nobody what it held, and one that holds too much does not read all of it.
      !(
        (facts.mayHaveHibernated || target.options.maxReferences !== undefined) &&
        /^client .*(exports|channels|producers) left/.test(each)
      ) &&
      // A client that expires before its call ends is never subscribed for long.
      !(expires && /came to event|the last call/.test(each)),
  );
  for (const life of history.lives) wrong.push(...life.wrong);
  if (!facts.had('disk')) wrong.push(...unplanned(facts).map((defect) => `the object noted: ${defect}`));
  for (const [what, count] of Object.entries(report.live)) {
    if (count !== 0) wrong.push(`the object has ${count} ${what} left`);
  }
  const { connections, callsInFlight } = report.metrics;
  if (connections !== 0) wrong.push(`the object has ${connections} connections left`);
  if (callsInFlight !== 0) wrong.push(`the object has ${callsInFlight} calls left`);
  const { lumenize_rpc_results: results = 0 } = report.tables;
  const most = history.calls.filter((call) => facts.variants(call).some(isOnce)).length;
  if (results > most) wrong.push(`the object has ${results} stored results of ${most} calls`);
  return wrong;
}

function isOnce({ method, mapped }: CallRecord): boolean {
  return method.delivery === 'exactlyOnce' || mapped?.method.delivery === 'exactlyOnce';
}

/**
 * Returns true if a call may leave a step that waits for its abort until its connection ends: nobody gives up a step
 * when the call that goes on from it is refused.
 */
function mayLeaveStep({ method, mapped, ok }: CallRecord): boolean {
  return method.wait === 'abort' && mapped !== undefined && ok === false;
}

/**
 * Defects noted by objects that programs cause on purpose. For example, a method that runs exactly once returns a
 * promise.
 */
const PLANNED = ['so that it must not return a promise', 'is exactlyOnce: call it on', 'by a method', 'by a program'];
const EXPIRED = 'was called for who has expired';
const UNTOLD = 'was not told that its caller gave up';
const HELD = 'references are held';

function unplanned(facts: Facts): string[] {
  const { calls } = facts.history;
  const { methods, ways, next = [] } = facts.program.target;
  const restores = [...methods, ...ways, ...next].some(({ delivery }) => delivery === 'restorable');
  const mayBeUntold =
    facts.had('freeze', 'delay', 'slow', 'sleep', 'offline') || calls.some((call) => facts.lost(call));
  const mayBeLate = calls.some(({ uses, direct, spec, mapped }) => uses || mapped || !direct || spec.ways.length > 0);
  return facts.run.report.defects.filter(
    (defect) =>
      !PLANNED.some((planned) => defect.includes(planned)) &&
      !(mayBeUntold && defect.includes(UNTOLD)) &&
      // Those that a client held before hibernation are counted when they are derived again, and not refused.
      !(restores && defect.includes(HELD)) &&
      // A call that came in time may wait for a result that it uses, or for the list that it maps.
      !(mayBeLate && defect.includes(EXPIRED)),
  );
}
