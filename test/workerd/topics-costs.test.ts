import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, test } from 'vitest';
import type { TickerObject } from './topics-object.ts';
import { events, evict, stored, take, ticker, tickerObject } from './topics-support.ts';

/** What was done while something was published, and until it was sent. */
interface Costs {
  /** The first words of all statements. */
  readonly statements: string[];
  readonly rowsWritten: number;
  readonly attachmentsRead: number;
  readonly encodersMade: number;
}

/** Publishes inside of a ticker, in one turn, and returns what that has cost. */
async function costsOf(name: string, publish: (object: TickerObject) => void): Promise<Costs> {
  return runInDurableObject(tickerObject(name), async (object) => {
    const { sql } = object.storage;
    const [exec, { deserializeAttachment }, View] = [sql.exec, WebSocket.prototype, globalThis.DataView];
    const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
    const statements: string[] = [];
    let [attachmentsRead, encodersMade] = [0, 0];
    sql.exec = ((query: string, ...values: unknown[]) => {
      statements.push(query.split(' ', 1)[0]);
      const cursor = exec.call(sql, query, ...values);
      cursors.push(cursor);
      return cursor;
    }) as typeof exec;
    WebSocket.prototype.deserializeAttachment = function (this: WebSocket) {
      attachmentsRead++;
      return deserializeAttachment.call(this);
    };
    // Each encoder has a view of its memory.
    globalThis.DataView = class extends View<ArrayBuffer> {
      constructor(...args: ConstructorParameters<typeof View<ArrayBuffer>>) {
        super(...args);
        encodersMade++;
      }
    } as typeof View;
    try {
      publish(object);
      // A turn has ended two jobs later.
      for (let job = 0; job < 4; job++) await undefined;
      const rowsWritten = cursors.reduce((sum, cursor) => sum + cursor.rowsWritten, 0);
      return { statements, rowsWritten, attachmentsRead, encodersMade };
    } finally {
      sql.exec = exec;
      WebSocket.prototype.deserializeAttachment = deserializeAttachment;
      globalThis.DataView = View;
    }
  });
}

const NOTHING_READ = { attachmentsRead: 0, encodersMade: 0 };

describe('an event', () => {
  test.each([
    ['prices', 'until there are as many as are retained', 5, 'INSERT'],
    ['prices', 'in place of the oldest', 1000, 'UPDATE'],
    ['latest', 'of which only the number is kept', 5, 'UPDATE'],
  ])('of %s takes one statement and one row, %s', async (topic, what, before, statement) => {
    const name = `statements ${what}`;
    using stub = ticker(name);
    await runInDurableObject(tickerObject(name), (object) => {
      for (let event = 1; event <= before; event++) object.named(topic).publish(event);
    });
    const publish = (object: TickerObject) => void object.named(topic).publish({ some: 'event' });
    expect(await costsOf(name, publish)).toEqual({ statements: [statement], rowsWritten: 1, ...NOTHING_READ });
    // Who is sent something is not sent what was rolled back: that takes another one for a turn, and none for a subscriber.
    // Kept: what nobody holds any more unsubscribes.
    const subscriptions = await Promise.all([stub.subscribeTo(topic), stub.subscribeTo(topic)]);
    using other = ticker(name);
    subscriptions.push(await other.subscribeTo(topic));
    await costsOf(name, publish);
    const toTwo = { statements: [statement, 'SELECT'], rowsWritten: 1, ...NOTHING_READ };
    expect(await costsOf(name, publish)).toEqual(toTwo);
    const ofATurn = await costsOf(name, (object) => {
      for (let event = 0; event < 20; event++) publish(object);
    });
    expect(ofATurn.statements).toEqual([...Array.from({ length: 20 }, () => statement), 'SELECT']);
    expect(ofATurn).toMatchObject({ rowsWritten: 20, ...NOTHING_READ });
    expect(subscriptions.length).toBe(3);
  });

  test('of a topic that stores later and retains nothing takes no row, but one for a thousand numbers', async () => {
    const name = 'only numbers';
    using stub = ticker(name);
    const subscription = await stub.subscribeTo('fleeting');
    const publish = (object: TickerObject) => void object.fleeting.publish({ some: 'event' });
    expect((await costsOf(name, publish)).statements).toEqual(['INSERT']);
    for (let turn = 0; turn < 3; turn++) {
      expect(await costsOf(name, publish)).toEqual({ statements: [], rowsWritten: 0, ...NOTHING_READ });
    }
    expect((await take(subscription, 4)).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
    expect(await stored(name, 'fleeting')).toEqual([]);
    await evict(name);
    // Nothing was lost, so that nothing seems to be missing.
    expect(await stub.publishTo('fleeting', 5)).toEqual([5]);
    expect(await take(subscription, 1)).toEqual(events(5, 5));
    expect(await take(await stub.subscribeTo('fleeting', { since: 3 }), 1)).toEqual([{ sequence: 5, missed: 2 }]);
  });

  test('that wakes its object reads each attachment once, and how far the topic is', async () => {
    const name = 'first after waking';
    const stubs = Array.from({ length: 4 }, () => ticker(name));
    const subscriptions = await Promise.all(stubs.slice(1).map((stub) => stub.subscribe()));
    // One of them is subscribed to nothing.
    await stubs[0].publish(1);
    await evict(name);
    // What wakes the object for something else reads none.
    expect(await costsOf(name, () => {})).toMatchObject({ attachmentsRead: 0 });
    const costs = await costsOf(name, (object) => void object.prices.publish(2));
    expect(costs).toMatchObject({ statements: ['SELECT', 'INSERT', 'SELECT'], rowsWritten: 1, attachmentsRead: 4 });
    expect(await costsOf(name, (object) => void object.prices.publish(3))).toMatchObject({ attachmentsRead: 0 });
    for (const subscription of subscriptions) expect(await take(subscription, 3)).toEqual(events(1, 3));
    for (const stub of stubs) stub[Symbol.dispose]();
  });
});
