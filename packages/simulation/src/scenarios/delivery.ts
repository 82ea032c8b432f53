import type { Fault } from '../world.ts';
import { outcome, type Stage } from './stage.ts';

/** Checks that calls whose results were dropped by number or age are not taken for calls that never ran. */
export async function droppedResults(stage: Stage): Promise<void> {
  const isByAge = stage.draw.chance(3);
  const maxResults = stage.draw.int(3, 12);
  const retentionMs = isByAge ? 3000 : 86_400_000;
  await stage.serve({ storedResults: { retentionMs, maxResults: isByAge ? 100_000 : maxResults } });
  const { stub, number } = stage.client({ maxWaitMs: 60_000, heartbeat: false });
  const other = stage.client({ heartbeat: false });
  await Promise.all([stub.count('x'), other.stub.count('x')]);
  await stage.world.fault({ kind: 'freeze', client: number, direction: 'down', ms: isByAge ? 5000 : 1000 });
  const call = outcome(stub.addOnce('x'));
  await stage.world.sleep(200);
  if (isByAge) await stage.world.sleep(4000);
  else {
    // The arrival of these results is never confirmed.
    await stage.world.fault({ kind: 'freeze', client: other.number, direction: 'down', ms: 700 });
    const others = Array.from({ length: maxResults * 2 }, () => outcome(other.stub.addOnce('y')));
    await stage.world.sleep(200);
    if (!stage.draw.chance(3)) {
      await stage.world.fault({ kind: 'evict' });
      await stage.world.sleep(100);
    }
    // A call that is sent again may take its time.
    await stage.world.fault({ kind: 'delay', client: number, direction: 'up', ms: stage.draw.pick([5, 1000]) });
    await stage.world.fault({ kind: 'cut', client: number });
    await call;
    await Promise.all(others);
  }
  if (isByAge) await stage.world.fault({ kind: 'cut', client: number });
  const told = await call;
  stage.check(
    told === 1 || told === 'rejected: OUTCOME_UNKNOWN',
    `a call whose result may have been dropped came to ${told}`,
  );
  await stage.comesTo(stub.count('x'), 1, 'how often a call ran that was made again when its result had been dropped');
  const rows = await outcome(stub.stored());
  if (!isByAge) stage.check(Number(rows) <= maxResults, `${rows} results are stored in place of ${maxResults}`);
}

/** Checks that the newest results are kept if there are too many. */
export async function newestResults(stage: Stage): Promise<void> {
  const maxResults = stage.draw.int(10, 20);
  await stage.serve({ storedResults: { maxResults } });
  const { stub, number } = stage.client({ maxWaitMs: 60_000 });
  const other = stage.client({ maxWaitMs: 60_000 });
  await Promise.all([stub.count('x'), other.stub.count('x')]);
  // The arrival of these results is never confirmed.
  await stage.world.fault({ kind: 'freeze', client: other.number, direction: 'down', ms: 2000 });
  const others = Array.from({ length: maxResults - 3 }, async () => outcome(other.stub.addOnce('y')));
  await stage.world.sleep(100);
  await stage.world.fault({ kind: 'freeze', client: number, direction: 'down', ms: 2000 });
  const calls: Promise<unknown>[] = [];
  for (let place = 0; place < 4; place++) {
    calls.push(outcome(stub.addOnce('x')));
    await stage.world.sleep(50);
  }
  await stage.world.fault({ kind: 'cut', client: number });
  stage.equal(await Promise.all(calls), [1, 2, 3, 4], 'the newest of too many results');
  await Promise.all(others);
}

/** Checks that results are dropped if they are too large, however few they are. */
export async function largeResults(stage: Stage): Promise<void> {
  const maxBytes = stage.draw.int(50, 200);
  await stage.serve({ storedResults: { maxBytes } });
  const { stub, number } = stage.client({ maxWaitMs: 60_000 });
  await stub.count('x');
  await stage.world.fault({ kind: 'freeze', client: number, direction: 'down', ms: 2000 });
  const calls = Array.from({ length: 100 }, () => outcome(stub.addOnceInBox('x').value));
  await stage.world.sleep(500);
  const other = stage.client().stub;
  const bytes = await other.storedBytes();
  stage.check(bytes <= maxBytes, `results of ${bytes} bytes are stored in place of ${maxBytes}`);
  await Promise.all(calls);
}

/** Checks that each client has its own results until they have arrived. */
export async function clientsResults(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub, number } = stage.client({ maxWaitMs: 60_000 });
  const other = stage.client();
  const count = stage.draw.int(1, 4);
  await Promise.all([stub.count('x'), other.stub.count('x')]);
  await stage.world.fault({ kind: 'freeze', client: number, direction: 'down', ms: 1000 });
  const calls = Array.from({ length: count }, (_, place) =>
    stage.comesTo(stub.addOnce('x'), place + 1, 'a call whose result came late'),
  );
  await stage.world.sleep(50);
  for (let place = 0; place < 6; place++)
    await stage.comesTo(other.stub.addOnce('y'), place + 1, 'a call of another client');
  const leaves = stage.draw.chance(2);
  if (leaves) other.connection.close();
  await stage.world.sleep(50);
  if (stage.draw.chance(2)) await stage.world.fault({ kind: 'evict' });
  await stage.world.fault({ kind: 'cut', client: number });
  await Promise.all(calls);
  await stage.comesTo(stub.count('x'), count, 'how often calls ran that were made again');
  await stage.world.sleep(50);
  await stage.comesTo(stub.addOnceInBox('z').value, 1, 'what a call has returned within something else');
  // The next connection confirms that results have arrived.
  await stage.world.fault({ kind: 'cut', client: number });
  await stage.until(async () => Number(await outcome(stub.stored())) === 6, 'no result is stored that has arrived');
}

/** Loses the connection under calls that have run, and checks that each ends according to its declaration. */
export async function lostAnswers(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub, number } = stage.client({ maxWaitMs: stage.draw.pick([60_000, 1500]) });
  await stub.count('x');
  const faults: Fault[] = [{ kind: 'cut', client: number }, { kind: 'evict' }, { kind: 'crash', keepsCommits: true }];
  await stage.world.fault({ kind: 'freeze', client: number, direction: 'down', ms: 300 });
  const kind = stage.draw.int(0, 7);
  const name = stage.draw.pick(['a', 'b']);
  let wanted: (told: unknown, ran: number) => boolean;
  let call: PromiseLike<unknown>;
  switch (kind) {
    case 0:
      call = stub.add(name);
      wanted = (told, ran) => told === 'rejected: OUTCOME_UNKNOWN' && ran === 1;
      break;
    case 1:
      call = stub.addOnce(name);
      wanted = (told, ran) => told === 1 && ran === 1;
      break;
    case 2:
      call = stub.addIdempotent(name);
      wanted = (told, ran) => told === 2 && ran === 2;
      break;
    case 3:
      // What leads to the method is not declared idempotent.
      call = stub.self().addIdempotent(name);
      wanted = (told, ran) => told === 'rejected: OUTCOME_UNKNOWN' && ran === 1;
      break;
    case 4:
      // The call of its argument is made again, and this call with it.
      call = stub.addIdempotent(stub.later(name, 5));
      wanted = (told, ran) => told === 2 && ran === 2;
      break;
    case 5:
      // The call of its argument is not made again, so that this one is not either.
      call = stub.addIdempotent(stub.echo(name));
      wanted = (told, ran) => told === 'rejected: OUTCOME_UNKNOWN' && ran === 1;
      break;
    case 6:
      call = stub.addOnceAndThrow(name);
      wanted = (told, ran) => told === 'rejected: as planned' && ran === 0;
      break;
    default:
      call = stub.tell(async () => {}, name);
      wanted = (told, ran) => (told === 'rejected: OUTCOME_UNKNOWN' || told === 'rejected: NOT_EXECUTED') && ran === 0;
  }
  const told = outcome(call);
  await stage.world.sleep(100);
  const fault = stage.draw.pick(faults);
  await stage.world.fault(fault);
  if (fault.kind === 'evict') await stage.world.fault({ kind: 'cut', client: number });
  const was = await told;
  await stage.world.sleep(500);
  const ran = Number(await stub.count(name));
  stage.check(
    wanted(was, ran),
    `call ${kind}, whose answer was lost by a ${fault.kind}, was told ${JSON.stringify(was)} and ran ${ran} times`,
  );
}

/** The time within which a cut is noticed, in milliseconds. */
const NOTICED_MS = 100;

/**
 * Checks that calls run in the order in which they were made, whatever happens. Calls that have been lost twice are
 * excepted, because they are suspected.
 */
export async function order(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub, number } = stage.client({ maxWaitMs: 60_000 });
  if (stage.draw.chance(2)) await stub.count('x');
  const told: Promise<unknown>[] = [];
  let settled = 0;
  let lost = 0;
  let cutAt = Number.NEGATIVE_INFINITY;
  for (let place = 0; place < 12; place++) {
    told.push(outcome(stub.addOnce('x')).finally(() => settled++));
    // Calls sent before the client notices are lost too.
    if (stage.world.now() < cutAt + NOTICED_MS) lost = told.length;
    if (stage.draw.chance(2)) await stage.world.sleep(stage.draw.pick([0, 5, 20, 200]));
    if (stage.draw.chance(4) && settled >= lost) {
      lost = told.length;
      cutAt = stage.world.now();
      await stage.world.fault({ kind: 'cut', client: number });
    }
    if (stage.draw.chance(8)) await stage.world.fault({ kind: 'freeze', client: number, direction: 'down', ms: 30 });
  }
  stage.equal(
    await Promise.all(told),
    Array.from(told, (_, place) => place + 1),
    'what calls came to, in order',
  );
}

/** Codes with which applications close sockets. */
const CODES = [1000, 1000, 1001, 1011, 4000, 4001, 4400, 4403, 4999];

/** Checks that a close by the application under a call that has run is only a lost connection for the call. */
export async function closed(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub } = stage.client({ maxWaitMs: 60_000 });
  for (let round = 1; round <= 3; round++) {
    const code = stage.draw.pick(CODES);
    const isOnce = stage.draw.chance(2);
    const call = isOnce ? stub.addOnceAndClose('x', code) : stub.addAndClose('x', code);
    const what = `a call whose method closes its connection with ${code}`;
    if (isOnce) await stage.comesTo(call, round, what);
    else await stage.rejects(call, 'OUTCOME_UNKNOWN', what);
    await stage.comesTo(stub.count('x'), round, 'how often such calls ran');
  }
}

/**
 * Checks that a call still under way over a connection that the client has given up does not run after it has been sent
 * again.
 */
export async function overtaken(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub, number } = stage.client({ maxWaitMs: 60_000, heartbeat: { intervalMs: 400, timeoutMs: 300 } });
  await stub.count('x');
  await stage.world.fault({ kind: 'freeze', client: number, direction: 'up', ms: 10_000 });
  await stage.comesTo(stub.addOnce('x'), 1, 'a call that was sent again over another connection');
  // This frame confirms that the result has arrived.
  await stub.count('x');
  if (stage.draw.chance(2)) await stage.world.fault({ kind: 'evict' });
  await stage.world.sleep(12_000);
  await stage.comesTo(stub.count('x'), 1, 'how often a call ran that was on its way twice');
}

/** Checks that a call waiting behind a getter does not run after it has been made again over another connection. */
export async function behindGetter(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub, number } = stage.client({ maxWaitMs: 60_000 });
  await stub.count('x');
  const call = stage.comesTo(stub.slowly.addOnce('x'), 1, 'a call behind a getter that takes its time');
  await stage.world.sleep(100);
  await stage.world.fault({ kind: 'cut', client: number });
  await call;
  // This frame confirms that the result has arrived.
  await stub.count('x');
  await stage.world.sleep(3000);
  await stage.comesTo(stub.count('x'), 1, 'how often a call ran behind two getters');
}

/** Checks that a call that is sent with the request for a connection has no effect unless there is a connection. */
export async function early(stage: Stage): Promise<void> {
  await stage.serve();
  for (let round = 0; round < 4; round++) {
    const name = `x${round}`;
    const { stub, number } = stage.client({ maxWaitMs: 60_000 });
    const call = outcome(stub.add(name));
    await stage.world.sleep(stage.draw.int(10, 35));
    await stage.world.fault({ kind: 'cut', client: number });
    const told = await call;
    const ran = Number(await stub.count(name));
    const isRight = told === 1 ? ran === 1 : told === 'rejected: OUTCOME_UNKNOWN' && ran <= 1;
    stage.check(isRight, `a call whose connection was cut while it was made was told ${told} and ran ${ran} times`);
  }
}

/** Checks that a delayed upgrade does not replace a connection that was opened since. */
export async function lateUpgrade(stage: Stage): Promise<void> {
  await stage.serve();
  const number = 0;
  await stage.world.fault({ kind: 'upgrade', client: number, how: 'late' });
  const { stub, connection } = stage.client({ number, connectTimeoutMs: 500 });
  await stage.comesTo(stub.add('x'), 1, 'a call over the second connection');
  await stage.comesTo(stub.later('y', 2000), 'y', 'a call that takes long');
  await stage.comesTo(stub.add('x'), 2, 'another one');
  stage.equal(connection.statistics.reconnects, 0, 'how often a connection was made again');
}
