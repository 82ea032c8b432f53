import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT_ARMS } from '../src/blocks/arms.ts';
import { countFrames } from '../src/load/frame-counter.ts';
import { type ServedWork, serveWork } from './support/serve-work.ts';

let server: ServedWork;

beforeAll(async () => {
  server = await serveWork();
}, 60_000);

afterAll(() => server?.[Symbol.asyncDispose]());

/** Frames up and down of all events that are counted, by subject. */
async function framesOf(scenario: string, events: number): Promise<Record<string, [up: number, down: number]>> {
  const plan = { scenario, arms: EVENT_ARMS, rounds: 1, mirrored: false };
  const costs = await countFrames(server.url, [plan], ({ id }) => `${id}-${events}`);
  const total = (perDelivery: number) => Math.round(perDelivery * events);
  return Object.fromEntries(costs.map(({ arm, framesUp, framesDown }) => [arm, [total(framesUp), total(framesDown)]]));
}

describe('the frames of events to one subscriber', () => {
  it('are, one event at a time, the call, its answer and the event, and one more in half a window', async () => {
    expect(await framesOf('events/to-1', 128)).toMatchObject({
      lumenize: [128 + 1, 2 * 128],
      'lumenize-batches': [128 + 1, 2 * 128],
      raw: [128, 2 * 128],
    });
  });

  it('are those of one event for all of a turn, which neither callbacks nor hand-written JSON have', async () => {
    const { lumenize, 'lumenize-batches': batches, capnweb, raw } = await framesOf('events/to-1-burst', 140);
    expect([lumenize, batches]).toEqual([
      [7 + 1, 2 * 7],
      [7 + 1, 2 * 7],
    ]);
    expect(raw).toEqual([140, 2 * 140]);
    expect(capnweb[1]).toBeGreaterThanOrEqual(2 * 140);
  });
});
