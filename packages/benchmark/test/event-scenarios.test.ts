import { describe, expect, it } from 'vitest';
import type { EventsConnection, Message, Receiver } from '../src/events/events.ts';
import { runBlock } from '../src/load/block.ts';
import { EVENT_SCENARIOS, scenarioNamed } from '../src/scenarios/all.ts';
import type { Subject } from '../src/subjects/subject.ts';
import { Unavailable } from '../src/subjects/unavailable.ts';

type Deliver = (to: Receiver, number: number, message: Message, subscriber: number) => void;

const plainly: Deliver = (to, number, message) => to.receive(number, message);

/** Objects without a wire, whose events are delivered by `deliver`. */
function localSubject(deliver: Deliver = plainly, changes: Partial<EventsConnection> = {}) {
  const receivers: Receiver[] = [];
  const state = { value: 0, newest: 0, open: 0, receivers };
  const events: EventsConnection = {
    async publish(message) {
      const number = ++state.newest;
      for (const [i, receiver] of receivers.entries()) deliver(receiver, number, message, i);
      return number;
    },
    async subscribe(receiver) {
      receivers.push(receiver);
    },
    ...changes,
  };
  const subject: Subject = {
    name: 'raw',
    carrier: 'socket',
    connect() {
      state.open++;
      return {
        increment: async () => ++state.value,
        getValue: async () => state.value,
        reset: async () => {
          state.value = 0;
        },
        incrementInOneTurn: async () => [],
        events,
        close: () => state.open--,
      };
    },
  };
  return { subject, state };
}

const run = (name: string, subject: Subject, timeoutMs?: number) =>
  runBlock(scenarioNamed(name), subject, 'http://nowhere', 'a', { timeoutMs });

describe('the scenarios of events', () => {
  it.each(EVENT_SCENARIOS.map(({ name }) => name))(
    'run %s, give a time for each delivery and close what they opened',
    async (name) => {
      const { subject, state } = localSubject();
      const { totalMs, samplesMs } = await run(name, subject);
      const subscribers = Number(/to-(\d+)/.exec(name)![1]);
      expect(state.receivers.length).toBe(subscribers);
      expect(samplesMs.length).toBe(subscribers * scenarioNamed(name).operations);
      expect(totalMs).toBeGreaterThanOrEqual(Math.max(...samplesMs.slice(0, 1000)));
      expect(state.open).toBe(0);
    },
  );

  it.each(EVENT_SCENARIOS.map(({ name }) => name))('count the frames of %s over at least 128 events', async (name) => {
    const { subject, state } = localSubject();
    let before = 0;
    const around = {
      before() {
        before = state.newest;
      },
      after() {},
    };
    const counted = scenarioNamed(name).counted!;
    const { samplesMs } = await runBlock(counted, subject, 'http://nowhere', 'a', { around });
    expect(state.newest - before).toBe(counted.operations);
    expect(counted.operations).toBeGreaterThanOrEqual(128);
    expect(samplesMs).toHaveLength(state.receivers.length * counted.operations);
  });

  const name = 'events/to-100';
  const failure = (deliver: Deliver) => expect(run(name, localSubject(deliver).subject, 500)).rejects;

  it('fail when one subscriber is not sent one event', async () => {
    const losing: Deliver = (to, number, message, subscriber) => {
      if (subscriber !== 70 || number !== 20) plainly(to, number, message, subscriber);
    };
    await expect(run('events/to-100-burst', localSubject(losing).subject)).rejects.toThrow(
      'subscriber 71, after event 20: event 21 came as',
    );
    await failure(losing).toThrow('no end after 500 ms');
  });

  it('fail when an event comes twice', async () => {
    const twice: Deliver = (to, number, message, subscriber) => {
      plainly(to, number, message, subscriber);
      if (subscriber === 3 && number === 5) plainly(to, number, message, subscriber);
    };
    await failure(twice).toThrow('event 5 came before it was published');
  });

  it('fail when an event comes in place of another one, or changed', async () => {
    const changed = (change: Partial<Message>): Deliver => {
      return (to, number, message) => to.receive(number, number === 20 ? { ...message, ...change } : message);
    };
    await failure(changed({ number: 19 })).toThrow('event 20 came as');
    await failure(changed({ text: 'Message 20' })).toThrow('event 20 came as');
    await failure(changed({ from: 'eve' })).toThrow('event 20 came as');
  });

  it('fail when publish returns another number', async () => {
    const { subject } = localSubject(plainly);
    const { publish } = (await subject.connect('', '')).events!;
    const wrong = async (message: Message) => (await publish(message)) + 1;
    const connect = async () => ({
      ...(await subject.connect('', '')),
      events: { ...(await subject.connect('', '')).events!, publish: wrong },
    });
    await expect(run('events/to-1', { ...subject, connect })).rejects.toThrow('publish gave 2 instead of 1');
  });

  it('fail when a subscription ends, and close what they opened', async () => {
    const { subject, state } = localSubject((to, number, message, subscriber) => {
      if (subscriber === 99 && number === 12) to.fail('it has ended');
      else to.receive(number, message);
    });
    await expect(run(name, subject)).rejects.toThrow('subscriber 100, after event 11: it has ended');
    expect(state.open).toBe(0);
  });

  it('fail when not everybody can subscribe, and close what they opened', async () => {
    let asked = 0;
    const subscribe = async () => {
      if (++asked === 60) throw new Error('full');
    };
    const { subject, state } = localSubject(plainly, { subscribe });
    await expect(run(name, subject)).rejects.toThrow('full');
    expect(state.open).toBe(0);
  });

  it('say of a subject without events that it cannot', async () => {
    const { subject } = localSubject();
    const connect = async () => ({ ...(await subject.connect('', '')), events: undefined });
    await expect(run('events/to-1', { ...subject, connect })).rejects.toThrow(Unavailable);
  });
});
