import { type AnyStub, outcome, type Stage } from './stage.ts';

interface Item {
  readonly sequence: number;
  readonly event?: number;
  readonly missed?: number;
}

/** Reads a subscription, and keeps its items. */
class Follower {
  readonly items: Item[] = [];
  end: string | undefined;
  readonly #subscription: AsyncIterableIterator<Item>;

  constructor(stage: Stage, subscription: AsyncIterableIterator<Item>, pauseMs = 0) {
    this.#subscription = subscription;
    const follow = async () => {
      for await (const item of subscription) {
        this.items.push(item);
        if (pauseMs > 0) await stage.world.sleep(pauseMs);
      }
      return 'left';
    };
    follow().then(
      (end) => (this.end = end),
      (error) => (this.end = String(error.code ?? error)),
    );
  }

  leave(): void {
    void this.#subscription.return?.();
  }

  /** The number of the last event that arrived or was reported missing. */
  get last(): number {
    return this.items.at(-1)?.sequence ?? 0;
  }

  /**
   * Checks that each event arrived once and in order. Also checks how many events after `since` are missing: exactly
   * `missed`, or at most.
   */
  check(stage: Stage, since: number, missed: number, what: string, isExact = true): void {
    let next = since + 1;
    let missing = 0;
    for (const { sequence, event, missed: gap } of this.items) {
      if (gap !== undefined) {
        stage.equal(sequence - gap + 1, next, `${what}: the first number that is missing`);
        missing += gap;
      } else {
        stage.equal(sequence, next, `${what}: the number of an event`);
        stage.equal(event, sequence, `${what}: the event of that number`);
      }
      next = sequence + 1;
    }
    if (isExact) stage.equal(missing, missed, `${what}: how many events are missing`);
    else stage.check(missing <= missed, `${what}: ${missing} events are missing, and not ${missed}`);
  }
}

/**
 * Checks that subscribers receive all events since a given one, as far as they are retained. The object may sleep, and
 * connections may be lost, meanwhile.
 */
export async function history(stage: Stage): Promise<void> {
  const retain = stage.draw.pick([0, 1, 3, 20, 500]);
  const everyMs = stage.draw.pick([50, 500]);
  const persist = stage.draw.chance(2) ? { everyEvents: stage.draw.pick([1, 3, 10, 50]), everyMs } : undefined;
  const storedMs = 3 * everyMs + 100;
  await stage.serve({ topics: [{ retain, ...(persist && { persist }) }] });
  const { stub, number } = stage.client();
  let published = 0;
  const publish = async (count: number) => {
    const last = await stub.publish(0, count);
    published += count;
    stage.equal(last, published, 'the number of the last event');
  };
  const early = new Follower(stage, await stub.subscribe(0, 0));
  for (let round = 0; round < 5; round++) {
    if (!stage.draw.chance(4)) await publish(stage.draw.pick([1, 1, 2, 5, 30]));
    // An event that is stored later is not part of a transaction.
    if (persist === undefined && stage.draw.chance(4)) {
      const together = [stub.publishAndThrow(0), stub.publish(0, 1), stub.publishAndThrow(0)];
      published++;
      const [thrown, last] = await Promise.all(together.map(outcome));
      stage.equal([thrown, last], ['rejected: as planned', published], 'what came of an event that was rolled back');
    }
    switch (stage.draw.int(0, 5)) {
      case 0:
        // Waits until all published events have been stored.
        await stage.world.sleep(storedMs);
        await stage.world.fault({ kind: 'evict' });
        break;
      case 1:
        await stage.until(() => early.last === published, 'a subscriber has all events');
        await stage.world.fault({ kind: 'cut', client: number });
        await stage.until(async () => (await outcome(stub.count('x'))) === 0, 'there is a connection');
        break;
      case 2:
        await stage.world.sleep(stage.draw.pick([1, 30, 300]));
    }
  }
  await stage.until(() => early.last === published, `a subscriber has ${published} events`);
  early.check(stage, 0, 0, 'a subscriber from the beginning');
  if (stage.draw.chance(3)) {
    await stage.world.sleep(storedMs);
    await stage.world.fault({ kind: 'evict' });
  }
  const since = stage.draw.int(stage.draw.chance(2) ? 0 : Math.max(0, published - 3), published);
  const late = new Follower(stage, await stub.subscribe(0, since));
  await publish(1);
  await stage.until(() => late.last === published, `a subscriber since ${since} has ${published} events`);
  await stage.until(() => early.last === published, `a subscriber has ${published} events`);
  // Events that are stored together are kept together, so there may be more.
  const missing = Math.max(0, published - 1 - since - retain);
  const what = `a subscriber since ${since} of ${published}, ${retain} retained`;
  late.check(stage, since, missing, what, persist === undefined);
  early.check(stage, 0, 0, 'a subscriber from the beginning, beside another');
  early.leave();
  late.leave();
  await stage.until(async () => (await stub.subscribers(0)) === 0, 'nobody is subscribed in the end');
}

/** Checks that exactly the retained events can be received again. */
export async function retained(stage: Stage): Promise<void> {
  const retain = stage.draw.int(1, 10);
  await stage.serve({ topics: [{ retain }] });
  const { stub } = stage.client();
  let published = 0;
  for (let round = 0; round < 3; round++) published = await stub.publish(0, stage.draw.int(1, 2 * retain));
  const since = stage.draw.int(0, published - 1);
  const follower = new Follower(stage, await stub.subscribe(0, since));
  await stage.until(() => follower.last === published, `a subscriber since ${since} has ${published} events`);
  follower.check(
    stage,
    since,
    Math.max(0, published - since - retain),
    `a subscriber since ${since}, of ${published} with ${retain} retained`,
  );
  follower.leave();
}

/** Checks that slow subscribers receive everything, and that others do not wait for them. */
export async function bursts(stage: Stage): Promise<void> {
  await stage.serve({
    topics: [{ retain: 2000, ...(stage.draw.chance(3) && { persist: { everyEvents: 50, everyMs: 100 } }) }],
  });
  const { stub } = stage.client();
  const publisher = stage.client().stub;
  const slow = new Follower(stage, await stub.subscribe(0), stage.draw.pick([0, 1, 5]));
  const others: { follower: Follower; since: number }[] = [];
  let published = 0;
  for (let round = 0; round < 4; round++) {
    published = await publisher.publish(0, stage.draw.pick([1, 100, 260, 400]));
    await stage.world.sleep(stage.draw.pick([0, 10, 300]));
    if (!stage.draw.chance(3)) continue;
    const since = stage.draw.int(0, published);
    others.push({ since, follower: new Follower(stage, await stub.subscribe(0, since)) });
  }
  await stage.until(() => slow.last === published, `a slow subscriber has ${published} events`, 30_000);
  slow.check(stage, 0, 0, 'a slow subscriber');
  slow.leave();
  for (const { since, follower } of others) {
    await stage.until(
      // The newest subscriber may have nothing to receive.
      () => Math.max(since, follower.last) === published,
      `a subscriber since ${since} beside a slow one has ${published} events`,
    );
    follower.check(stage, since, 0, `a subscriber since ${since} beside a slow one`);
    follower.leave();
  }
  await stage.until(async () => (await stub.subscribers(0)) === 0, 'nobody is subscribed in the end');
}

/**
 * Checks that subscribers who were away see a gap where a crash has lost events, and that their numbers are not used
 * again.
 */
export async function crashes(stage: Stage): Promise<void> {
  const persist = { everyEvents: stage.draw.pick([2, 5]), everyMs: stage.draw.pick([50, 1000]) };
  await stage.serve({ topics: [{ retain: 1000, persist }] });
  const { stub } = stage.client();
  const follower = new Follower(stage, await stub.subscribe(0, 0));
  let last = 0;
  for (let round = 0; round < 3; round++) {
    const published = await stub.publish(0, stage.draw.int(1, 7));
    stage.check(published > last, `event ${published} was published after event ${last}`);
    last = published;
    await stage.until(() => follower.last >= last, `a subscriber has event ${last}`);
    await stage.world.sleep(stage.draw.pick([0, 10, 70]));
    await stage.world.fault({ kind: 'crash', keepsCommits: true });
    await stage.until(async () => (await outcome(stub.count('x'))) === 0, 'there is a connection');
  }
  last = await stub.publish(0, 1);
  await stage.until(() => follower.last >= last, `a subscriber has event ${last} after crashes`);
  const again = new Follower(stage, await stub.subscribe(0, 0));
  await stage.until(() => again.last >= last, `a later subscriber has event ${last}`);
  for (const each of [follower, again]) {
    each.check(stage, 0, last, 'a subscriber of an object that crashes', false);
    each.leave();
  }
}

/** Checks several subscriptions of one client and of several clients that come and go. */
export async function comingAndGoing(stage: Stage): Promise<void> {
  await stage.serve({ topics: [{ retain: 100 }] });
  const clients = [stage.client(), stage.client()];
  const publisher = stage.client().stub;
  const open: { follower: Follower; since: number; number: number }[] = [];
  let published = 0;
  for (let round = 0; round < 10; round++) {
    const { stub, number } = stage.draw.pick(clients);
    switch (stage.draw.int(0, 7)) {
      case 0:
      case 1: {
        const since = stage.draw.chance(2) ? published : stage.draw.int(0, published);
        open.push({ number, since, follower: new Follower(stage, await stub.subscribe(0, since)) });
        break;
      }
      case 2:
        open.splice(stage.draw.int(0, open.length), 1)[0]?.follower.leave();
        break;
      case 3: {
        // In one turn, so the event comes after the result.
        const before = stage.draw.chance(2) ? stub.publish(0, 1) : published;
        const turn = [before, stub.subscribe(0), stub.publish(0, 1)] as AnyStub[];
        const [since, subscription, last] = await Promise.all(turn);
        published = last;
        open.push({ number, since, follower: new Follower(stage, subscription) });
        break;
      }
      case 4: {
        const hurried = stage.world.library.withOptions(stub, { timeoutMs: 20 });
        await stage.rejects(hurried.subscribeLater(0, 60), 'TIMED_OUT', 'a subscription that comes too late');
        break;
      }
      case 5:
        await stage.world.fault({ kind: 'cut', client: number });
        await stage.until(async () => (await outcome(stub.count('x'))) === 0, 'there is a connection');
        break;
      case 6: {
        // A subscription begins in the same turn in which the last one ends.
        for (const each of open.filter((one) => one.number === number)) each.follower.leave();
        const since = published;
        const subscription = await stub.subscribe(0, since);
        open.splice(0, open.length, ...open.filter((one) => one.number !== number));
        open.push({ number, since, follower: new Follower(stage, subscription) });
        break;
      }
      default:
        published = await publisher.publish(0, stage.draw.int(1, 5));
    }
  }
  published = await publisher.publish(0, 1);
  for (const { follower, since } of open) {
    await stage.until(() => follower.last === published, `a subscriber since ${since} has ${published} events`);
    follower.check(stage, since, 0, `a subscriber since ${since}`);
    stage.equal(follower.end, undefined, 'the end of a subscription that nobody has left');
    follower.leave();
  }
  await stage.until(async () => (await publisher.subscribers(0)) === 0, 'nobody is subscribed in the end');
  // A client that disappears without closing does not stay subscribed either.
  const { stub } = stage.client();
  await stub.subscribe(0);
  await stage.comesTo(publisher.subscribers(0), 1, 'how many are subscribed');
  await stage.world.fault({ kind: 'evict' });
  await stage.comesTo(publisher.subscribers(0), 1, 'how many are subscribed after the object has slept');
  stage.world.library.connection(stub).close();
  await stage.until(
    async () => (await publisher.subscribers(0)) === 0,
    'nobody is subscribed when the last has closed',
  );
}

/**
 * Checks that a position from another life of a topic, or from a time that was undone, is answered with a gap, and one
 * that is known is not.
 */
export async function topicLives(stage: Stage): Promise<void> {
  const retain = stage.draw.pick([1, 3, 100]);
  await stage.serve({ topics: [{ retain }, { retain }] });
  const { stub } = stage.client();
  const connected = () => stage.until(async () => (await outcome(stub.count('x'))) === 0, 'there is a connection');
  const restart = async () => {
    await stage.world.fault({ kind: 'crash', keepsCommits: true });
    await connected();
  };
  const live = new Follower(stage, await stub.subscribe(0, 0));
  let published = await stub.publish(0, stage.draw.int(1, 4));
  const early = await stub.position(0);
  const rows = await stub.topicRows();
  if (stage.draw.chance(2)) await restart();
  published = await stub.publish(0, stage.draw.int(1, 4));
  const late = await stub.position(0);
  await stage.until(() => live.last === published, `a subscriber has ${published} events`);
  const way = stage.draw.pick(['deleted', 'restored', 'kept', 'another']);
  const topic = way === 'another' ? 1 : 0;
  if (way === 'deleted') await stub.deleteTopic(0);
  if (way === 'restored') await stub.restoreTopics(rows);
  const seen = live.items.length;
  if (way === 'restored' || stage.draw.chance(2)) await restart();
  for (let count = stage.draw.int(1, 8); count > 0; count--) published = await stub.publish(topic, 1);
  for (const since of [early, late]) {
    const follower = new Follower(stage, await stub.subscribeAt(topic, since));
    const number: number = since[1];
    const what = `a subscriber since ${number} of a topic that was ${way}`;
    const isKnown = way === 'kept' || (way === 'restored' && since === early);
    await stage.until(() => follower.last === published, `${what} has event ${published}`);
    if (isKnown) follower.check(stage, number, Math.max(0, published - number - retain), what);
    else stage.check(follower.items[0]?.missed !== undefined, `${what} is not told of a gap`);
    follower.leave();
  }
  if (way === 'deleted' || way === 'restored') {
    await stage.until(() => live.last === published, `the subscriber from before has event ${published}`);
    stage.check(live.items[seen]?.missed !== undefined, `a subscriber of a topic that was ${way} is not told of a gap`);
  }
  live.leave();
}
