import { describe, expect, it } from 'vitest';
import { runBlock } from '../src/blocks/block.ts';
import { EVENT_SCENARIOS, scenarioNamed } from '../src/scenarios/all.ts';
import { type Subject, Unavailable } from '../src/subjects/subject.ts';
import type { EventsConnection, Message, Receiver } from '../src/work/work.ts';
import { localSubject } from './support/local-subject.ts';

type Deliver = (to: Receiver, number: number, message: Message, subscriber: number) => void;

const plainly: Deliver = (to, number, message) => to.receive(number, message);

/** Objects without a wire, whose events are delivered by `deliver`. */
function localEvents(deliver: Deliver = plainly, changes: Partial<EventsConnection> = {}) {
  const receivers: Receiver[] = [];
  let newest = 0;
  const events: EventsConnection = {
    async publish(message) {
      const number = ++newest;
      for (const [i, receiver] of receivers.entries()) deliver(receiver, number, message, i);
      return number;
    },
    async subscribe(receiver) {
      receivers.push(receiver);
    },
    ...changes,
  };
  return { ...localSubject(() => ({ events })), receivers };
}

const run = (name: string, subject: Subject, timeoutMs?: number) =>
  runBlock(scenarioNamed(name), subject, 'http://nowhere', 'a', { timeoutMs });

describe('the scenarios of events', () => {
  it.each(EVENT_SCENARIOS.map(({ name }) => name))(
    'run %s, give a time for each delivery and close what they opened',
    async (name) => {
      const { subject, state, receivers } = localEvents();
      const { totalMs, samplesMs } = await run(name, subject);
      const subscribers = Number(/to-(\d+)/.exec(name)![1]);
      expect(receivers.length).toBe(subscribers);
      expect(samplesMs.length).toBe(subscribers * scenarioNamed(name).operations);
      expect(totalMs).toBeGreaterThanOrEqual(Math.max(...samplesMs.slice(0, 1000)));
      expect(state.open).toBe(0);
    },
  );

  const name = 'events/to-100';
  const failure = (deliver: Deliver) => expect(run(name, localEvents(deliver).subject, 500)).rejects;

  it('fail when one subscriber is not sent one event', async () => {
    const losing: Deliver = (to, number, message, subscriber) => {
      if (subscriber !== 70 || number !== 20) plainly(to, number, message, subscriber);
    };
    const burst = run('events/to-100-burst', localEvents(losing).subject, 500);
    await expect(burst).rejects.toThrow('no end after 500 ms');
    await failure(losing).toThrow('no end after 500 ms');
  });

  it('fail when an event comes twice', async () => {
    const twice: Deliver = (to, number, message, subscriber) => {
      plainly(to, number, message, subscriber);
      if (subscriber === 3 && number === 5) plainly(to, number, message, subscriber);
    };
    await failure(twice).toThrow(/subscriber \d+ heard|nobody did/);
  });

  it('fail when an event comes in place of another one, or changed', async () => {
    const changed = (change: Partial<Message>): Deliver => {
      return (to, number, message) => to.receive(number, number === 20 ? { ...message, ...change } : message);
    };
    await failure(changed({ number: 19 })).toThrow('subscriber 1 heard');
    await failure(changed({ text: 'Message 20' })).toThrow('subscriber 1 heard');
    await failure(changed({ from: 'eve' })).toThrow('subscriber 1 heard');
  });

  it('fail when publish returns another number', async () => {
    const { subject } = localEvents(plainly, { publish: async () => 2 });
    await expect(run('events/to-1', subject, 500)).rejects.toThrow('publish gave 2 instead of 1');
  });

  it('fail when a subscription ends, and close what they opened', async () => {
    const { subject, state } = localEvents((to, number, message, subscriber) => {
      if (subscriber === 99 && number === 12) to.fail('it has ended');
      else to.receive(number, message);
    });
    await expect(run(name, subject)).rejects.toThrow('subscriber 100: it has ended');
    expect(state.open).toBe(0);
  });

  it('say of a subject without events that it cannot', async () => {
    await expect(run('events/to-1', localSubject().subject)).rejects.toThrow(Unavailable);
  });
});
