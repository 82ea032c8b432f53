import { outcome, type Stage } from './stage.ts';

/** Checks that each user of an object is served as who it is, over losses and hibernation, whoever came before. */
export async function users(stage: Stage): Promise<void> {
  await stage.serve();
  const versions = Array.from({ length: stage.draw.int(2, 4) }, () => stage.draw.int(0, 3));
  const clients = versions.map((version) => stage.client({ version: () => version }));
  for (let round = 0; round < 4; round++) {
    const [place, { stub, number }] = stage.draw.pick([...clients.entries()]);
    const version = versions[place];
    await stage.comesTo(stub.whoami(), [version, version], `who client ${number} is in round ${round}`);
    await stage.comesTo(outcome(stub.ofAdmins()), version === 1 ? 1 : 'rejected: DENIED', 'what its guard says');
    if (stage.draw.chance(2)) await stage.world.fault({ kind: 'evict' });
    if (stage.draw.chance(3)) await stage.world.fault({ kind: 'cut', client: number });
    if (stage.draw.chance(4)) await stage.world.fault({ kind: 'crash', keepsCommits: true });
  }
}

/** Checks that a result that is stored for one user never answers a call of another one. */
export async function storedForAnother(stage: Stage): Promise<void> {
  await stage.serve();
  const clients = [0, 1].map((version) => stage.client({ version: () => version }));
  await Promise.all(clients.map(({ stub }) => stub.count('warm')));
  const calls = clients.map(({ stub }, user) => stub.addOnce(`of user ${user}`));
  // Most answers are lost, and the calls are sent again.
  await stage.world.sleep(stage.draw.int(8, 20));
  for (const { number } of clients) await stage.world.fault({ kind: 'cut', client: number });
  for (const [user, call] of calls.entries()) {
    await stage.comesTo(call, 1, `what the call of user ${user} came to`);
    await stage.comesTo(clients[user].stub.count(`of user ${user}`), 1, `how often the call of user ${user} ran`);
  }
}

/** Checks that an object whose `target` is overloaded for a time keeps its clients, who try again. */
export async function overloadedTarget(stage: Stage): Promise<void> {
  await stage.serve();
  const { world, draw } = stage;
  const { stub, connection, number } = stage.client({ maxWaitMs: 20_000 });
  await stage.comesTo(stub.addOnce('before'), 1, 'a call before');
  await world.request(`/control/${world.object}/break?ms=${draw.int(50, 500)}&how=overloaded`);
  await world.fault({ kind: 'cut', client: number });
  await stage.comesTo(stub.addOnce('after'), 1, 'a call of a client whose object is overloaded');
  stage.equal(connection.state, 'open', 'the state of its connection');
}

/** To whom the token of a client leads from some time on. */
const LATER = ['another', 'anyone', 'refused', 'same'] as const;

/**
 * Checks that nothing goes on under another identity than the one under which it was made, whatever makes a client connect
 * again with a token that leads to another user, or to none; and that everything goes on if it leads to the same one.
 */
export async function anotherUser(stage: Stage): Promise<void> {
  await stage.serve({ topics: [{ retain: 20 }], anyone: true });
  const { draw, world } = stage;
  const later = draw.pick(LATER);
  const how = draw.pick(['cut', 'crash', 'authenticate', 'expiry'] as const);
  const before = draw.int(1, 3);
  const after = { another: before + 1, anyone: 0, refused: undefined, same: before }[later];
  const isSame = later === 'same';
  const expiresMs = how === 'expiry' ? 6000 : 0;
  const tokenOf = (version: number) => `s/${expiresMs}/${version}`;
  let token: string | undefined = tokenOf(before);
  const { stub, connection, number } = stage.client({ token: () => token, maxWaitMs: 30_000 });
  const other = stage.client();
  // What is declared is known from the first call on.
  await stage.comesTo(stub.whoOnce('first'), before, 'who calls before');
  const [place, thing, subscription] = await Promise.all([stub.place('a'), stub.make(), stub.subscribe(0, 0)]);
  const events: unknown[] = [];
  const read = async () => {
    for await (const { event } of subscription) events.push(event);
    return 'no error';
  };
  const end = outcome(read());
  await other.stub.publish(0, 2);
  await stage.until(() => events.length === 2, 'events arrive before');

  token = { another: tokenOf(before + 1), anyone: undefined, refused: 'nobody', same: token }[later];
  let waiting: Promise<unknown> | undefined;
  let isAnew = false;
  connection.onStateChange((state) => {
    if (state !== 'open') waiting ??= outcome(stub.whoOnce('waiting'));
    isAnew = state === 'open' || state === 'closed';
  });
  if (draw.chance(2)) await world.fault({ kind: 'evict' });
  if (how === 'expiry') await world.sleep(draw.int(5100, 5400));
  const isLate = waiting !== undefined;
  const sent = outcome(stub.whoOnce('sent'));
  await world.sleep(draw.int(0, 15));
  if (how === 'cut') await world.fault({ kind: 'cut', client: number });
  else if (how === 'crash') await world.fault({ kind: 'crash', keepsCommits: true });
  else if (how === 'authenticate') void connection.authenticate().catch(() => {});
  await stage.until(() => isAnew, 'the client connects again');

  const what = `with a token of ${later} after ${how}`;
  const ended = `rejected: ${later === 'refused' ? 'DENIED' : 'NOT_EXECUTED'}`;
  stage.equal(await waiting, isSame ? before : ended, `a call that waited, ${what},`);
  const told = await sent;
  stage.check(
    isLate || told === before || (!isSame && (told === ended || told === 'rejected: OUTCOME_UNKNOWN')),
    `a call that was sent, ${what}, came to ${told}`,
  );
  // A crash has lost its connection, too.
  await other.stub.count('');
  await other.stub.publish(0, 1);
  await stage.comesTo(stub.whoami(), after === undefined ? ended : [after, after], `who calls ${what}`);
  const lost = later === 'refused' ? ended : 'rejected: REFERENCE_LOST';
  await stage.comesTo(place.name(), isSame ? 'a' : lost, `a place ${what}`);
  if (!isSame) await stage.comesTo(thing.number(), lost, `a reference ${what}`);
  if (isSame) {
    await stage.until(() => events.length === 3, 'events arrive after');
    subscription.return();
    thing[Symbol.dispose]();
  }
  stage.equal(await end, isSame ? 'no error' : 'rejected: REFERENCE_LOST', `a subscription ${what}`);
  stage.equal(events, [1, 2, 3].slice(0, isSame ? 3 : 2), `the events ${what}`);
  for (const version of isSame ? [] : [after, before]) {
    await stage.comesTo(other.stub.count(`waiting as ${version}`), 0, `how often it ran as ${version}, ${what},`);
  }
  if (!isSame && !isLate)
    await stage.comesTo(other.stub.count(`sent as ${after}`), 0, `how often what was sent ran as ${after}`);
}
