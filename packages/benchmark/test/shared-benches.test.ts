import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { messageOf, type Receiver } from '../src/events/events.ts';
import { runBlock } from '../src/load/block.ts';
import type { Arm } from '../src/load/plan.ts';
import { SharedBenches } from '../src/load/shared-benches.ts';
import { scenarioNamed } from '../src/scenarios/all.ts';
import { SUBJECTS } from '../src/subjects/all.ts';
import type { Subject } from '../src/subjects/subject.ts';

const ARMS: readonly Arm[] = (['lumenize', 'raw'] as const).map((subject) => ({ id: subject, subject }));

/** Objects without a wire, by their names, in the place of a subject. */
function withLocalObjects(name: 'lumenize' | 'raw', opened: string[], open: { count: number }): Subject {
  const objects = new Map<string, { newest: number; receivers: Receiver[] }>();
  return {
    name,
    carrier: 'socket',
    connect(_url, instance) {
      opened.push(instance);
      open.count++;
      const object = objects.get(instance) ?? { newest: 0, receivers: [] };
      objects.set(instance, object);
      return {
        increment: async () => 0,
        getValue: async () => 0,
        reset: async () => {},
        incrementInOneTurn: async () => [],
        events: {
          async publish(message) {
            const number = ++object.newest;
            for (const { receive } of object.receivers) receive(number, message);
            return number;
          },
          subscribe: async (receiver) => void object.receivers.push(receiver),
        },
        close: () => open.count--,
      };
    },
  };
}

describe('the benches that blocks share', () => {
  const opened: string[] = [];
  const open = { count: 0 };
  const before = { ...SUBJECTS };
  const table = SUBJECTS as Record<string, Subject>;
  let fresh = 0;
  const benches = new SharedBenches('http://nowhere', ({ id }) => `${id}-${++fresh}`);

  beforeEach(() => {
    opened.length = open.count = fresh = 0;
    for (const { subject } of ARMS) table[subject] = withLocalObjects(subject as 'raw', opened, open);
  });

  afterEach(async () => {
    await benches.close();
    Object.assign(table, before);
  });

  const block = (name: string, arm: Arm) =>
    runBlock(scenarioNamed(name), SUBJECTS[arm.subject], 'http://nowhere', 'of its own', { bench: benches.of(arm) });

  it('are one for each arm, opened before the first block and used by all of the same audience', async () => {
    expect(await benches.prepare(scenarioNamed('events/to-100'), ARMS)).toEqual([]);
    expect(new Set(opened)).toEqual(new Set(['lumenize-1', 'raw-2']));
    expect(open.count).toBe(2 * 101);
    for (const name of ['events/to-100', 'events/to-100', 'events/to-100-burst']) {
      await benches.prepare(scenarioNamed(name), ARMS);
      for (const arm of ARMS) {
        expect((await block(name, arm)).samplesMs).toHaveLength(100 * scenarioNamed(name).operations);
      }
    }
    expect(opened).toHaveLength(2 * 101);
    expect(open.count).toBe(2 * 101);
  });

  it('are closed where the next scenario has another audience, or none', async () => {
    await benches.prepare(scenarioNamed('events/to-100'), ARMS);
    await benches.prepare(scenarioNamed('events/to-1'), ARMS);
    expect(open.count).toBe(2 * 2);
    await benches.prepare(scenarioNamed('getValue/sequential'), ARMS);
    expect(open.count).toBe(0);
    expect(benches.of(ARMS[0])).toBeUndefined();
  });

  it('say which arm cannot have one, and fail where an event is wrong', async () => {
    const { connect } = SUBJECTS.raw;
    table.raw = { ...SUBJECTS.raw, connect: async (...to) => ({ ...(await connect(...to)), events: undefined }) };
    expect(await benches.prepare(scenarioNamed('events/to-1'), ARMS)).toEqual([
      { arm: 'raw', reason: 'it has no events' },
    ]);
    expect(open.count).toBe(2);
    const wrong = withLocalObjects('raw', opened, open);
    table.raw = {
      ...wrong,
      async connect(...to) {
        const connection = await wrong.connect(...to);
        const { publish, subscribe } = connection.events!;
        return { ...connection, events: { subscribe, publish: () => publish(messageOf(7)) } };
      },
    };
    await expect(benches.prepare(scenarioNamed('events/to-1'), ARMS)).rejects.toThrow(
      'events/to-1, raw: Error: subscriber 1, after event 1: event 1 came as',
    );
    expect(open.count).toBe(2);
  });
});
