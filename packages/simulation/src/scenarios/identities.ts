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
