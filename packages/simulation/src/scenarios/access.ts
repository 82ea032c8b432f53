import { outcome, type Stage } from './stage.ts';

/** Checks that guards let calls in only with `true`, at once or later, and that nothing runs before. */
export async function guards(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub } = stage.client();
  let answered = 0;
  for (let round = 0; round < 6; round++) {
    const answer = stage.draw.pick([true, true, 1, 'yes', {}, false, null, 0, ''] as const);
    const name = stage.draw.pick(['answered', 'answeredLater', 'checkedLater'] as const);
    const call = name === 'checkedLater' ? stub.checkedLater(1, answer) : stub[name](answer);
    if (answer === true) await stage.comesTo(call, ++answered, `${name} with a guard that answers true`);
    else await stage.rejects(call, 'DENIED', `${name} with a guard that answers ${JSON.stringify(answer)}`);
    await stage.comesTo(
      stub.count('answered'),
      answered,
      `how often a method ran after ${name}(${JSON.stringify(answer)})`,
    );
  }
  await stage.comesTo(stub.opened(), 'rejected: DENIED', 'a method whose class opens what its base class shuts');
  await stage.rejects(stub.shut(), 'DENIED', 'a method whose class shuts what its base class opens');
}

/** Checks that a call that is given up while a guard or a schema is running has no effect. */
export async function givenUp(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub } = stage.client();
  await stub.count('answered');
  const controller = new AbortController();
  const hurried = stage.world.library.withOptions(stub, { signal: controller.signal });
  const call = stage.draw.chance(2) ? hurried.answeredLater(true) : hurried.checkedLater(1, true);
  const rejected = stage.rejects(call, 'CANCELLED', 'a call that was given up');
  await stage.world.sleep(1);
  controller.abort();
  await rejected;
  await stage.world.sleep(500);
  await stage.comesTo(
    stub.count('answered'),
    0,
    'how often a method ran whose call was given up before its guard had answered',
  );
}

/** Checks that methods receive the arguments that schemas return, and only if all schemas accept them. */
export async function schemas(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub } = stage.client();
  for (let round = 0; round < 6; round++) {
    const name = stage.draw.pick(['numbersPlusOne', 'lateNumbersPlusOne'] as const);
    const values = Array.from({ length: stage.draw.int(0, 5) }, () =>
      stage.draw.chance(4) ? 'text' : stage.draw.int(0, 9),
    );
    const isValid = values.length === 3 && values.every((value) => typeof value === 'number');
    const call = stub[name](...values);
    if (isValid)
      await stage.comesTo(
        call,
        values.map((value) => Number(value) + 1),
        `${name}(${values})`,
      );
    else await stage.rejects(call, 'INVALID_ARGUMENTS', `${name}(${values})`);
  }
  const value = stage.draw.int(8, 12);
  // The guard receives the value that the schema returned.
  if (value + 1 > 10) await stage.comesTo(stub.guardedNumber(value), value + 1, `guardedNumber(${value})`);
  else await stage.rejects(stub.guardedNumber(value), 'DENIED', `guardedNumber(${value})`);
}

/** Checks that undeclared members cannot be reached. */
export async function undeclared(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub } = stage.client();
  const name = stage.draw.pick(['hasOwnProperty', 'toString', 'valueOf', 'isPrototypeOf', 'nothing']);
  await stage.rejects(stub[name]('own'), 'METHOD_NOT_FOUND', `${name}() of a target`);
  await stage.rejects(stub.data()[name]('own'), 'METHOD_NOT_FOUND', `${name}() of data`);
  await stage.rejects(stub.data()[name], 'METHOD_NOT_FOUND', `${name} of data`);
  await stage.comesTo(stub.data().own, 1, 'a property of data');
  await stage.rejects(stub.secret, 'DENIED', 'a getter whose guard says no');
  const { stub: admins } = stage.client({ version: () => 1 });
  await stage.comesTo(admins.secret, 'secret', 'a getter whose guard says yes');
  const nobody = stage.client({ token: 'of nobody' });
  await stage.rejects(nobody.stub.whoami(), 'DENIED', 'a call of somebody whom authenticate does not know');
}

/** Checks that a renewed identity is visible to the target and to guards, also after the object has slept. */
export async function renewals(stage: Stage): Promise<void> {
  await stage.serve();
  let version = stage.draw.int(0, 1);
  const { stub, connection } = stage.client({ version: () => version, expiresMs: stage.draw.pick([0, 60_000]) });
  for (let round = 0; round < 4; round++) {
    await stage.comesTo(stub.whoami(), [version, version], 'who calls');
    const allowed = await outcome(stub.ofAdmins());
    stage.equal(allowed, version === 1 ? 1 : 'rejected: DENIED', `what a guard says to version ${version}`);
    if (stage.draw.chance(2)) await stage.world.fault({ kind: 'evict' });
    if (stage.draw.chance(3)) continue;
    version = stage.draw.int(0, 1);
    await stage.comesTo(connection.authenticate(), undefined, 'a renewal');
  }
}

/** Checks that an expired client is not served, and receives no events. */
export async function expired(stage: Stage): Promise<void> {
  await stage.serve({ topics: [{ retain: 5 }] });
  const others = stage.client().stub;
  const ms = stage.draw.int(200, 2000);
  let isAsked = false;
  const token = () => {
    // A second token is never given, because this one must expire.
    if (isAsked) throw new Error('no other token');
    isAsked = true;
    return `expiring/${ms}/0`;
  };
  const { stub } = stage.client({ token, maxWaitMs: 300 });
  const begun = stage.world.now();
  const events: number[] = [];
  const isListening = stage.draw.chance(2);
  if (isListening) {
    const subscription = await stub.subscribe(0, 0);
    const listen = async () => {
      for await (const { event } of subscription) events.push(event);
    };
    listen().catch(() => {});
  }
  await stage.comesTo(stub.add('early'), 1, 'a call before its caller has expired');
  await others.publish(0, 1);
  const until = async (at: number) => stage.world.sleep(Math.max(0, begun + at - stage.world.now()));
  await until(ms + 100);
  await others.publish(0, 1);
  await stage.world.sleep(200);
  if (isListening) stage.equal(events, [1], 'what a subscriber got who has expired');
  else await outcome(stub.add('late'));
  await stage.comesTo(others.count('late'), 0, 'how often a call ran whose caller has expired');
}

/** Checks that requests reach only objects that serve this library, and of these only upgrades and batches. */
export async function otherBindings(stage: Stage): Promise<void> {
  await stage.serve();
  const { world, draw } = stage;
  const asked = async () => Number(await (await world.request('/asked')).text());
  const before = await asked();
  const method = draw.pick(['GET', 'POST', 'PUT', 'DELETE']);
  const upgrade = {
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    // The token is `0/0/0`.
    'Sec-WebSocket-Protocol': 'lumenize.rpc.3, lumenize.token.MC8wLzA',
  };
  const isUpgrade = draw.chance(3);
  const headers = isUpgrade ? upgrade : { 'X-Secret': 'of the page', Authorization: 'Bearer 0/0/0' };
  const answer = await world.request('/rpc/limiter/global', { method: isUpgrade ? 'GET' : method, headers });
  stage.equal(await asked(), before, `how often an object was asked that serves nothing, by ${method}`);
  // An upgrade may be refused by the close of its socket.
  stage.check(isUpgrade || answer.status >= 400, `the answer for an object that serves nothing is ${answer.status}`);
}
