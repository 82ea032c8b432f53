import { type AnyStub, outcome, type Stage } from './stage.ts';

/** Checks that everything is disposed of exactly once, when it is not held any more and not before. */
export async function disposal(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub, number } = stage.client();
  const held: AnyStub[] = [];
  /** How many things the object keeps as results of steps, as long as there is a connection. */
  let kept = 0;
  let made = 0;
  for (let round = 0; round < 10; round++) {
    switch (stage.draw.int(0, 7)) {
      case 0:
        held.push(await stub.make());
        made++;
        break;
      case 1:
        held.push(...(await stub.things(2)));
        made += 2;
        break;
      case 2: {
        // A step that is not awaited, and that is continued from twice.
        const step = stub.make();
        await stage.comesTo(step.number(), ++made, 'a thing that is a step');
        kept++;
        if (!stage.draw.chance(2)) break;
        await stage.comesTo(step.number(), made, 'a thing that is a step, again');
        // It is a reference from then on.
        kept--;
        if (stage.draw.chance(2)) held.push(step);
        else step[Symbol.dispose]();
        break;
      }
      case 3: {
        using self = await stub.self();
        await stage.comesTo(self.count('made'), made, 'a count by a reference to the target');
        break;
      }
      case 4:
        held.push(await stub.self().make());
        made++;
        break;
      case 5:
        await stage.rejects(stub.unsendable(), 'NOT_CLONEABLE', 'a result that cannot be sent');
        made++;
        break;
      case 6: {
        const late = stage.world.library.withOptions(stub, { timeoutMs: 60 });
        await stage.rejects(late.makeLater(100), 'TIMED_OUT', 'a thing that comes too late');
        made++;
        await stage.until(async () => (await stub.count('made')) === made, 'what is made later is made');
        break;
      }
      default:
        for (const thing of held.splice(0, 2)) thing[Symbol.dispose]();
    }
  }
  await stage.until(
    async () => (await stub.count('made')) - (await stub.count('disposed')) === held.length + kept,
    `all but ${held.length} and ${kept} things are disposed of`,
  );
  await stage.comesTo(stub.count('made'), made, 'how many things were made');
  for (const thing of held)
    stage.check(typeof (await outcome(thing.number())) === 'number', 'a thing that is held is gone');
  if (stage.draw.chance(3)) for (const thing of held.splice(0)) thing[Symbol.dispose]();
  await stage.world.fault({ kind: 'cut', client: number });
  await stage.until(async () => (await outcome(stub.count('x'))) === 0, 'there is another connection');
  for (const thing of held)
    await stage.rejects(thing.number(), 'REFERENCE_LOST', 'a thing of a connection that is gone');
  await stage.until(
    async () => (await stub.count('made')) === (await stub.count('disposed')),
    'all things are disposed of',
  );
  await stage.comesTo(stub.count('targets disposed'), 0, 'how often the target of a connection was disposed of');
}

/** Checks that a target that is sent repeatedly is one reference, for as long as it is held. */
export async function same(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub } = stage.client();
  for (let round = 0; round < 6; round++) {
    const first = await stub.same();
    const number = await outcome(first.number());
    const second = stub.same();
    if (stage.draw.chance(2)) first[Symbol.dispose]();
    const again = await second;
    if (stage.draw.chance(2)) await stage.world.sleep(50);
    await stage.comesTo(again.number(), number, 'a target that was sent twice');
    first[Symbol.dispose]();
    again[Symbol.dispose]();
    if (stage.draw.chance(2)) await stage.world.sleep(50);
    // A target that is not held any more is disposed of, and the object creates no other.
    if ((await stub.count('disposed')) > 0) return;
  }
  await stage.until(async () => (await stub.count('disposed')) === 1, 'a target that nobody holds is disposed of');
}

/** Checks that stubs of a lost connection do not work, and that those of the next connection reach their targets. */
export async function lives(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub, number } = stage.client();
  const old = await stub.things(3);
  const faults = [{ kind: 'cut', client: number }, { kind: 'crash', keepsCommits: true }, { kind: 'evict' }] as const;
  const fault = stage.draw.pick(faults);
  await stage.world.fault(fault);
  await stage.until(async () => (await outcome(stub.count('made'))) === 3, 'there is a connection');
  const young = await stub.things(3);
  for (const thing of old) await stage.rejects(thing.number(), 'REFERENCE_LOST', `a thing of before a ${fault.kind}`);
  for (const [place, thing] of young.entries())
    await stage.comesTo(thing.number(), place + 4, `a thing of after a ${fault.kind}`);
  for (const thing of [...old, ...young]) thing[Symbol.dispose]();
}

/** Checks that places are found for each use, over hibernation and losses, and held by nobody. */
export async function restored(stage: Stage): Promise<void> {
  await stage.serve();
  const clients = [stage.client(), stage.client()];
  const { stub, number } = clients[0];
  const kept: { readonly where: string; readonly place: AnyStub }[] = [];
  let used = 0;
  const use = async ({ where, place }: (typeof kept)[number]) => {
    await stage.comesTo(place.name(), where, 'where a place is');
    if (where.includes('/')) used += 2;
  };
  for (let round = 0; round < 8; round++) {
    const name = `p${round}`;
    switch (stage.draw.int(0, 4)) {
      case 0:
        for (const client of clients) kept.push({ where: name, place: await client.stub.place(name) });
        break;
      case 1:
        kept.push({ where: `a${round}/b/${name}`, place: await stub.place(`a${round}`).within('b').within(name) });
        used += 2;
        break;
      case 2:
        await stage.world.sleep(20);
        await stage.world.fault({ kind: 'evict' });
        break;
      case 3:
        await stage.world.fault({ kind: 'cut', client: number });
        await stage.until(async () => (await outcome(stub.count('x'))) === 0, 'there is a connection');
        break;
      default:
        for (const each of kept) await use(each);
    }
  }
  for (const each of kept) await use(each);
  await stage.comesTo(stub.count('within'), used, 'how often places were looked for within others');
  const name = `once${stage.draw.int(0, 1)}`;
  await stage.comesTo((await stub.place('p')).addOnce(name), 1, 'what runs exactly once in a place');
  const isDerived = stage.draw.chance(2) ? stub.self().addOnce(name) : stub.addOnce(stub.echo(name));
  await stage.rejects(isDerived, [ONLY_ON_PLACES('addOnce')], 'what runs exactly once on a reference, or with one');
  stage.equal(clients[0].connection.statistics.imports, 0, 'the references that a client of places holds');
}

const ONLY_ON_PLACES = (name: string) =>
  `${name}() is exactlyOnce: call it on the connection's target or on what restorable methods return, with values`;

/**
 * Checks that an answer of a client's function goes to the call that asked, and not to one over the next connection.
 */
export async function answers(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub, number } = stage.client();
  // A call that waits for the first connection would be made over the next one.
  await stage.comesTo(stub.count('x'), 0, 'a count');
  const slow = Promise.withResolvers<string>();
  const slower = Promise.withResolvers<string>();
  const first = stage.rejects(
    stub.ask(() => slow.promise),
    'OUTCOME_UNKNOWN',
    'a call whose connection was lost while it asked',
  );
  await stage.world.sleep(100);
  await stage.world.fault({ kind: 'cut', client: number });
  await first;
  await stage.until(async () => (await outcome(stub.count('x'))) === 0, 'there is a connection');
  const second = stage.comesTo(
    stub.ask(() => slower.promise),
    'second',
    'what the client answers to the second question',
  );
  await stage.world.sleep(100);
  slow.resolve('first');
  await stage.world.sleep(100);
  slower.resolve('second');
  await second;
}
