import { type AnyStub, outcome, type Stage } from './stage.ts';

/** Checks repeatedly that exactly as many calls run as the limit allows. */
export async function callsInFlight(stage: Stage): Promise<void> {
  const most = stage.draw.int(1, 5);
  await stage.serve({ limits: { maxCallsInFlight: most } });
  const { stub } = stage.client();
  for (let round = 0; round < 3; round++) {
    const running = Array.from({ length: most }, (_, place) =>
      stage.comesTo(stub.wait(100), place + 1, `call ${place + 1} of ${most}, in round ${round}`),
    );
    if (stage.draw.chance(2)) await stage.world.sleep(1);
    running.push(stage.rejects(stub.wait(1), 'OVERLOADED', `one call more than ${most}`));
    await Promise.all(running);
  }
}

/** Checks that the frames of running calls have at most the allowed number of bytes. */
export async function bytesInFlight(stage: Stage): Promise<void> {
  await stage.serve({ limits: { maxBytesInFlight: 4000 } });
  const { stub } = stage.client();
  await stub.count('x');
  for (let round = 0; round < 3; round++) {
    const text = 'x'.repeat(stage.draw.int(2100, 6000));
    const first = stage.comesTo(stub.later(text, 100), text, 'a large frame alone');
    await stage.world.sleep(10);
    await stage.rejects(stub.later(text, 1), 'OVERLOADED', 'a large frame beside another');
    await first;
  }
}

/** Checks that data that was read does not count as waiting, however much it is. */
export async function bytesOfStreams(stage: Stage): Promise<void> {
  await stage.serve({ limits: { maxBytesInFlight: 100_000 } });
  const { stub } = stage.client();
  const count = stage.draw.int(200, 400);
  async function* items() {
    for (let place = 0; place < count; place++) yield place;
  }
  await stage.comesTo(
    stub.sum(items(), -1, stage.draw.int(0, 1)),
    (count * (count - 1)) / 2,
    'the sum of what was passed',
  );
}

/** Checks that a call that may have run never fails with an error that says there was no room. */
export async function noRoomAgain(stage: Stage): Promise<void> {
  const isRate = stage.draw.chance(2);
  await stage.serve(
    isRate ? { identityRate: { operationsPerSecond: 0.001, burst: 20 } } : { limits: { maxObjectCallsInFlight: 2 } },
  );
  const { stub, number } = stage.client({ name: 'same', maxWaitMs: 60_000 });
  const others = stage.client({ name: 'same', number: 1 }).stub;
  await Promise.all([stub.count('x'), others.count('x')]);
  await stage.world.fault({ kind: 'freeze', client: number, direction: 'down', ms: 200 });
  const call = stage.rejects(
    stub.add('x'),
    'OUTCOME_UNKNOWN',
    'a call that ran, and was refused when it was made again',
  );
  await stage.world.sleep(100);
  const running = isRate ? Array.from({ length: 17 }, () => others.count('x')) : [others.wait(5000), others.wait(5000)];
  await stage.world.sleep(50);
  await stage.world.fault({ kind: 'cut', client: number });
  await call;
  await Promise.allSettled(running);
}

/** Checks that a subscription that is to continue waits while there is no room for it. */
export async function noRoomForEvents(stage: Stage): Promise<void> {
  await stage.serve({ identityRate: { operationsPerSecond: 1, burst: 10 }, topics: [{ retain: 100 }] });
  const { stub, number } = stage.client({ name: 'same' });
  const others = stage.client({ name: 'same' }).stub;
  const publisher = stage.client({ name: 'other' }).stub;
  const subscription = await stub.subscribe(0);
  const events: number[] = [];
  const listen = async () => {
    for await (const { event } of subscription) events.push(event);
  };
  const end = outcome(listen());
  await publisher.publish(0, 1);
  await stage.until(() => events.length === 1, 'a subscriber has an event');
  // Uses up all room.
  for (let times = 0; (await outcome(others.count('x'))) === 0; times++) {
    if (times > 100) return stage.check(false, 'there is always room for another call');
  }
  await stage.world.fault({ kind: 'cut', client: number });
  await publisher.publish(0, 1);
  await stage.until(() => events.length === 2, 'a subscriber has the next event', 20_000);
  await subscription.return();
  await stage.comesTo(end, undefined, 'the end of a subscription');
}

/** Checks that there being no room for a subscription to continue ends no other call of its frame that was sent again. */
export async function noRoomBeside(stage: Stage): Promise<void> {
  await stage.serve({ connectionRate: { operationsPerSecond: 1, burst: 3 }, topics: [{ retain: 100 }] });
  const { stub, number } = stage.client({});
  const publisher = stage.client().stub;
  const [subscribing, call] = [stub.subscribe(0), stub.later('x', 200)];
  const ended = stage.comesTo(call, 'x', 'a call whose frame is sent again twice, and refused once');
  const subscription = await subscribing;
  const next = subscription.next();
  await stage.world.fault({ kind: 'cut', client: number });
  await ended;
  await publisher.publish(0, 1);
  await stage.comesTo(
    next.then(({ done }: IteratorResult<unknown>) => done),
    false,
    'the next event',
  );
  await subscription.return();
}

/** Checks that operations become available again exactly as fast as the limit says. */
export async function rates(stage: Stage): Promise<void> {
  const burst = stage.draw.int(2, 6);
  const operationsPerSecond = stage.draw.int(5, 50);
  const isShared = stage.draw.chance(2);
  const rate = { operationsPerSecond, burst };
  await stage.serve(isShared ? { identityRate: rate } : { connectionRate: rate });
  const { stub } = stage.client({ name: 'same' });
  const second = isShared ? stage.client({ name: 'same' }).stub : stub;
  const stubs = [stub, second];
  // One after the other, because a frame is accepted as a whole.
  for (let place = 0; place < burst; place++) {
    await stage.comesTo(stubs[place % 2].add('x'), place + 1, `call ${place + 1} of a burst of ${burst}`);
  }
  for (let round = 0; round < 3; round++) {
    const wait = await retryAfter(stubs[round % 2].add('x'));
    if (wait === undefined) {
      // Some operations have become available meanwhile.
      stage.check(stage.world.now() > 0, '');
      continue;
    }
    stage.check(
      wait <= 1000 / operationsPerSecond + 1,
      `${wait} ms are too long for ${operationsPerSecond} in a second`,
    );
    await stage.world.sleep(wait + 1);
    await stage.check(
      (await retryAfter(stubs[round % 2].add('x'))) === undefined,
      'a call is refused when it was told to come',
    );
  }
  const begun = stage.world.now();
  let taken = 0;
  for (let place = 0; place < 200; place++) if ((await retryAfter(stub.add('x'))) === undefined) taken++;
  const most = burst + ((stage.world.now() - begun + 1000) / 1000) * operationsPerSecond;
  stage.check(taken <= most, `${taken} calls were taken in place of ${most}`);
  const frame = Array.from({ length: burst + 1 }, () => stub.count('x'));
  await stage.rejects(frame[0], ['LIMIT_EXCEEDED', 'NOT_EXECUTED', 'RATE_LIMITED'], 'a frame of more than a burst');
  await Promise.allSettled(frame);
}

async function retryAfter(call: PromiseLike<unknown>): Promise<number | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return (error as { data?: { retryAfterMs?: number } }).data?.retryAfterMs ?? Number.POSITIVE_INFINITY;
  }
}

/** Checks that exactly as many things are held as the limit allows, and again after some have been released. */
export async function heldThings(stage: Stage): Promise<void> {
  const most = stage.draw.int(2, 6);
  const what = stage.draw.pick(['references', 'generators', 'subscriptions'] as const);
  const topics = Array.from({ length: most + 1 }, () => ({ retain: 1 }));
  const limit = what === 'subscriptions' ? 'maxSubscriptions' : 'maxReferences';
  await stage.serve({ limits: { [limit]: most }, topics });
  const { stub } = stage.client();
  const begin = {
    references: () => stub.make(),
    generators: () => stub.numbers(100),
    subscriptions: (place: number) => stub.subscribe(place),
  }[what] as (place: number) => Promise<object>;
  for (let round = 0; round < 3; round++) {
    const held = [];
    for (let place = 0; place < most; place++) {
      try {
        held.push(await begin(place));
      } catch (error) {
        stage.check(false, `${place} of ${most} ${what} in round ${round}: ${error}`);
      }
    }
    await stage.rejects(Promise.resolve(begin(most)).then(letGo), 'LIMIT_EXCEEDED', `more than ${most} ${what}`);
    for (const each of held) await letGo(each);
    await stage.world.sleep(100);
  }
}

async function letGo(held: AnyStub): Promise<string> {
  // A generator is not a stub, and a stub has no `return`.
  if (typeof held[Symbol.dispose] === 'function') held[Symbol.dispose]();
  else await held.return();
  return 'was held';
}

/** Checks frames, chains, maps and messages of exactly the allowed size. */
export async function sizes(stage: Stage): Promise<void> {
  const most = stage.draw.int(2, 8);
  await stage.serve({ limits: { maxOperationsPerFrame: most, maxMapElements: most } });
  const { stub } = stage.client();
  await stub.count('x');
  await Promise.all(
    Array.from({ length: most }, () => stage.comesTo(stub.count('x'), 0, `a frame of ${most} operations`)),
  );
  await Promise.all(
    Array.from({ length: most + 1 }, () =>
      stage.rejects(stub.count('x'), 'OUTCOME_UNKNOWN', `a frame of more than ${most} operations`),
    ),
  );
  const careful = stage.client({ limits: { maxOperationsPerFrame: most } });
  await Promise.all(
    Array.from({ length: most + 1 }, () =>
      stage.comesTo(careful.stub.count('x'), 0, `a call of more than ${most} in several frames`),
    ),
  );
  const values = Array.from({ length: most }, (_, place) => place);
  await stage.comesTo(
    stub.list(most).map((item: number) => item),
    values,
    `a map over ${most} elements`,
  );
  await stage.rejects(
    stub.list(most + 1).map((item: number) => item),
    'LIMIT_EXCEEDED',
    `a map over more than ${most} elements`,
  );
}

/** Checks that exactly the newest results of steps are kept. */
export async function steps(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub } = stage.client();
  const more = stage.draw.int(1, 20);
  const kept: AnyStub[] = [];
  await Promise.all(
    Array.from({ length: MOST_STEPS + more }, (_, place) => {
      kept.push(stub.make());
      return stage.comesTo(kept[place].number(), place + 1, `step ${place + 1}`);
    }),
  );
  await stage.comesTo(stub.count('disposed'), more, 'how many things were disposed of that are not kept');
  const last = stage.draw.int(0, more - 1);
  await stage.rejects(kept[last].number(), 'REFERENCE_LOST', `step ${last + 1}, which is not kept`);
  const first = stage.draw.int(more, kept.length - 1);
  await stage.comesTo(kept[first].number(), first + 1, `step ${first + 1}, which is kept`);
  kept[first][Symbol.dispose]();
}

/** The results of steps that are kept, of the newest chains of a connection. */
const MOST_STEPS = 1000;

/** Checks that exactly as many connections are open as the limit allows. */
export async function connections(stage: Stage): Promise<void> {
  const most = stage.draw.int(1, 3);
  await stage.serve({ limits: { maxConnections: most } });
  const clients = Array.from({ length: most }, () => stage.client());
  for (const { stub } of clients) await stage.comesTo(stub.count('x'), 0, `a call of ${most} clients`);
  const late = stage.client({ maxWaitMs: 300 });
  await stage.rejects(late.stub.count('x'), ['OVERLOADED', 'NOT_EXECUTED'], `a call of one client more than ${most}`);
  stage.equal((await stage.metrics()).connections, most, 'the number of connections');
  late.connection.close();
  clients[0].connection.close();
  await stage.world.sleep(100);
  await stage.comesTo(stage.client().stub.count('x'), 0, 'a call when another client has left');
}

/** Checks that calls end on both sides when their time is over and when their callers give up. */
export async function time(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub } = stage.client();
  const { withOptions } = stage.world.library;
  await stub.count('x');
  const timeoutMs = stage.draw.int(50, 500);
  const begun = stage.world.now();
  await stage.rejects(withOptions(stub, { timeoutMs }).until('over'), 'TIMED_OUT', 'a call that takes too long');
  stage.check(
    stage.world.now() - begun <= timeoutMs + 50,
    `a call took ${stage.world.now() - begun} ms in place of ${timeoutMs}`,
  );
  const controller = new AbortController();
  const call = withOptions(stub, { signal: controller.signal }).until('over');
  const rejected = stage.rejects(call, 'CANCELLED', 'a call that was given up');
  await stage.world.sleep(stage.draw.int(20, 200));
  controller.abort();
  await rejected;
  await stage.until(async () => (await stub.count('over')) === 2, 'two methods are told that nobody waits');
  // Longer than the whole scenario takes.
  const quick = withOptions(stub, { timeoutMs: 1_000_000_000 });
  const before = stage.world.now();
  await stage.comesTo(quick.count('over'), 2, 'a call in time');
  stage.check(stage.world.now() - before < 1000, 'a call took long');
}

/** Checks that calls wait for a connection exactly as long, and exactly as many, as the options say. */
export async function waiting(stage: Stage): Promise<void> {
  await stage.serve();
  const maxWaitMs = stage.draw.int(200, 2000);
  const most = stage.draw.int(1, 5);
  const number = 0;
  const slowly = (ms: number) => stage.world.fault({ kind: 'delay', client: number, direction: 'up', ms });
  await slowly(30_000);
  const { stub } = stage.client({ number, maxWaitMs, maxQueuedCalls: most });
  const begun = stage.world.now();
  const calls = Array.from({ length: most }, () => stage.rejects(stub.add('x'), 'NOT_EXECUTED', 'a call that waits'));
  await stage.rejects(stub.add('x'), 'OVERLOADED', `one call more than ${most} that wait`);
  await Promise.all(calls);
  const waited = stage.world.now() - begun;
  stage.check(waited <= maxWaitMs + 100, `calls waited ${waited} ms in place of ${maxWaitMs}`);
  await slowly(5);
  await stage.world.sleep(31_000);
  await stage.comesTo(stub.count('x'), 0, 'how often a call ran that was told that it did not');
}

/** Checks that a connection that is dead without reporting it is noticed. */
export async function silence(stage: Stage): Promise<void> {
  await stage.serve();
  const heartbeat = { intervalMs: stage.draw.int(500, 3000), timeoutMs: stage.draw.int(200, 500) };
  const { stub, connection, number } = stage.client({ heartbeat, maxWaitMs: 60_000 });
  await stub.count('x');
  await stage.world.sleep(100);
  await stage.world.fault({ kind: 'freeze', client: number, direction: 'both', ms: 20_000 });
  const call = stage.draw.chance(2) ? stage.comesTo(stub.count('x'), 0, 'a call over a dead connection') : undefined;
  await stage.until(
    () => connection.state !== 'open',
    'a dead connection is given up',
    heartbeat.intervalMs + 3 * heartbeat.timeoutMs + 500,
  );
  await stage.world.sleep(20_000);
  await call;
  await stage.comesTo(stub.count('x'), 0, 'a call over the next connection');
}
