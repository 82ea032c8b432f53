import { knownEdge, type OptionSide, type SideEdge } from './known-edges.ts';
import { EDGES, setEdge } from './spec.ts';
import type { AnyStub, Stage } from './stage.ts';

const LIMITS = [
  'maxMessageBytes',
  'maxObjects',
  'maxOperationsPerFrame',
  'maxCallsInFlight',
  'maxReferences',
  'maxSubscriptions',
  'maxMapElements',
  'maxMapOperations',
  'maxBytesInFlight',
  'maxObjectCallsInFlight',
  'maxConnections',
].map((name) => `limits.${name}`);

/** The options that are numbers, of each side. */
const OPTIONS: Readonly<Record<OptionSide, readonly string[]>> = {
  server: [
    ...LIMITS,
    'storedResults.retentionMs',
    'storedResults.maxResults',
    'storedResults.maxBytes',
    'storedResults.maxResultBytes',
    'rateLimits.connection.operationsPerSecond',
    'rateLimits.connection.burst',
  ],
  topic: ['topics.0.retain', 'topics.0.persist.everyEvents', 'topics.0.persist.everyMs'],
  client: [
    ...LIMITS.slice(0, 2),
    'maxWaitMs',
    'maxQueuedCalls',
    'maxQueuedBytes',
    'connectTimeoutMs',
    'reconnect.minDelayMs',
    'reconnect.maxDelayMs',
    'reconnect.stableMs',
    'heartbeat.intervalMs',
    'heartbeat.timeoutMs',
  ],
};

/** Checks that a server whose option is at its extreme refuses it by name, or serves. */
export const serverOptions = (stage: Stage) => tryEdge(stage, 'server');

/** Checks that a topic whose option is at its extreme refuses it by name, or carries events. */
export const topicOptions = (stage: Stage) => tryEdge(stage, 'topic');

/** Checks that a client whose option is at its extreme refuses it by name, or calls. */
export const clientOptions = (stage: Stage) => tryEdge(stage, 'client');

/** Returns all options of a side, with each of their values. */
export function edgesOf(side: OptionSide): SideEdge[] {
  return OPTIONS[side].flatMap((at) => Object.keys(EDGES).map((value) => ({ side, at, value })));
}

function tryEdge(stage: Stage, side: OptionSide): Promise<void> {
  const { edge = stage.draw.pick(edgesOf(side).filter((each) => knownEdge(each) === undefined)) } = stage;
  return runEdge(stage, edge);
}

/** The longest time that a client waits for anything, in milliseconds. */
const LONGEST_MS = 30_000;
/** The most frames that a client sends. One that sends more is in a loop. */
const MOST_FRAMES = 200;
const MOST_RECONNECTS = 50;

/** Serves with an option at its extreme, and makes calls of all kinds, before and after losses. */
async function runEdge(stage: Stage, edge: SideEdge): Promise<void> {
  const { side } = edge;
  const name = edge.at.split('.').at(-1)!;
  const what = `${edge.at} of ${edge.value}`;
  const check = (holds: boolean, message: string) => stage.check(holds, `${what}: ${message}`);
  const topics = [{ retain: 5, ...(edge.at.includes('persist') && { persist: { everyEvents: 3, everyMs: 50 } }) }];
  const connectionRate = { operationsPerSecond: 1000, burst: 1000 };
  await stage.serve({ topics, connectionRate, ...(side !== 'client' && { edge }) });
  const options = { maxWaitMs: 5000, reconnect: { minDelayMs: 5, maxDelayMs: 50 } };
  if (side === 'client') setEdge(options, edge);
  let client: ReturnType<Stage['client']>;
  try {
    client = stage.client(options);
  } catch (error) {
    return check(error instanceof TypeError && error.message.includes(name), `connect() throws ${error}`);
  }
  const { stub, connection } = client;
  /** Makes a call, which comes to what it should, or is refused by the name of the option. */
  const comes = async (
    call: () => PromiseLike<unknown>,
    isRight: (value: unknown) => boolean,
    of: string,
    mayBeLost = false,
  ) => {
    const late = Symbol('late');
    try {
      const value = await Promise.race([call(), stage.world.sleep(LONGEST_MS).then(() => late)]);
      check(value !== late, `${of} has not settled after ${LONGEST_MS} ms`);
      check(value === late || isRight(value), `${of} came to ${JSON.stringify(value)}`);
      return value;
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      const isLost = mayBeLost && code === 'OUTCOME_UNKNOWN';
      // The object refuses its own options where it is made, and its client may only learn that it does not answer.
      const refused = await stage.world.request(`/control/${stage.world.object}/refused`);
      const isNamed = `${message} ${await refused.text()}`.includes(name);
      check(isLost || isNamed, `${of} rejects with ${code}: ${message}`);
      return undefined;
    }
  };
  const events = new Events();
  let published = 0;
  const calls = async (round: string, mayBeLost = false) => {
    await Promise.all([
      comes(() => stub.echo([1, 'two']), equals([1, 'two']), `echo() ${round}`, mayBeLost),
      comes(() => stub.later(7, 20), equals(7), `later() ${round}`),
      comes(() => stub.addOnce(round), equals(1), `addOnce() ${round}`),
      comes(() => stub.list(3), equals([0, 1, 2]), `list() ${round}`),
    ]);
    const isNext = (value: unknown) => Number(value) >= published + 4;
    const last = await comes(() => stub.publish(0, 4), isNext, `publish() ${round}`, mayBeLost);
    if (typeof last !== 'number') return;
    published = last;
    if (!events.isOpen) return;
    const hasCome = () => events.last >= last || !events.isOpen;
    await stage.until(hasCome, `${what}: event ${last} ${round}`, LONGEST_MS);
  };
  await comes(
    async () => events.follow(await stub.subscribe(0, 0)),
    () => true,
    'subscribe()',
  );
  await calls('first');
  if (await isRefused(stage)) return connection.close();
  await stage.world.fault({ kind: 'evict' });
  await calls('after hibernation');
  await stage.world.fault({ kind: 'cut', client: client.number });
  await calls('after a loss', true);
  await stage.world.fault({ kind: 'crash', keepsCommits: true });
  await calls('after a crash', true);
  if (events.error !== undefined) check(events.error.includes(name), `the subscription ends with ${events.error}`);
  for (const wrong of events.wrong) check(false, wrong);
  const { framesSent, reconnects } = connection.statistics;
  check(framesSent <= MOST_FRAMES, `the client has sent ${framesSent} frames`);
  check(reconnects <= MOST_RECONNECTS, `the client has connected ${reconnects} times again`);
  connection.close();
}

/** Returns true if an object does not serve at all, since an option is not valid. It cannot report then, either. */
async function isRefused(stage: Stage): Promise<boolean> {
  const report = await stage.world.request(`/control/${stage.world.object}/report`);
  stage.isRefused = !report.ok;
  return stage.isRefused;
}

function equals(wanted: unknown): (value: unknown) => boolean {
  return (value) => JSON.stringify(value) === JSON.stringify(wanted);
}

/** The events of a subscription. */
class Events {
  last = 0;
  isOpen = false;
  error: string | undefined;
  readonly wrong: string[] = [];

  follow(subscription: AsyncIterable<AnyStub>): void {
    this.isOpen = true;
    const read = async () => {
      for await (const { sequence, event, missed = 1 } of subscription) {
        if (event !== undefined && event !== sequence) this.wrong.push(`event ${sequence} is ${event}`);
        if (sequence !== this.last + missed) this.wrong.push(`event ${sequence} came after ${this.last}`);
        this.last = sequence;
      }
    };
    void read()
      .catch((error: Error) => {
        this.error = error.message;
      })
      .finally(() => {
        this.isOpen = false;
      });
  }
}
