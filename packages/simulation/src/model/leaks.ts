import type { Facts } from './facts.ts';

/** Nothing is left where everything has ended: no row, no reference, no stream, no timer, and nothing went wrong that nobody was told of. */
export function checkLeaks(facts: Facts): string[] {
  const { report, history } = facts.run;
  const { clients, target } = facts.program;
  const expires = clients.some(({ expiresMs }) => expiresMs !== undefined);
  const mayBeRefused = facts.refusesForGood || target.options.burst !== undefined;
  const wrong = history.left.filter(
    (each) =>
      !(mayBeRefused && each.startsWith('the last call')) &&
      // Who expires sooner than its call ends is never subscribed for long.
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
  // Who has expired is not listened to, whatever it says when it leaves.
  const isTold =
    !expires &&
    // While a token is being renewed, nothing goes before it.
    !facts.program.steps.some(({ kind }) => kind === 'authenticate') &&
    // What it says may be lost.
    !facts.had('cut', 'freeze', 'crash', 'deploy', 'close', 'disk') &&
    history.lives.every(({ ended, isToldOf }) => ended !== 'reload' && isToldOf);
  if (results > 0 && isTold) wrong.push(`the object has ${results} stored results left`);
  return wrong;
}

/** Notes of objects about what programs ask for: about methods, for one, that are declared to run exactly once and return a promise. */
const PLANNED = ['so that it must not return a promise', 'by a method', 'by a program'];
const EXPIRED = 'was called for who has expired';
const UNTOLD = 'was not told that its caller gave up';

function unplanned(facts: Facts): string[] {
  const { calls } = facts.history;
  // Where its caller gave up is told once, and not when it is made again for others that use its result.
  const mayBeUntold =
    facts.had('freeze', 'delay', 'slow', 'sleep') || calls.some((call) => facts.lost(call) || call.uses);
  const mayBeLate = calls.some(({ uses, direct, spec }) => uses || !direct || spec.ways.length > 0);
  return facts.run.report.defects.filter(
    (defect) =>
      !PLANNED.some((planned) => defect.includes(planned)) &&
      !(mayBeUntold && defect.includes(UNTOLD)) &&
      // What came in time may wait for what it uses.
      !(mayBeLate && defect.includes(EXPIRED)),
  );
}
