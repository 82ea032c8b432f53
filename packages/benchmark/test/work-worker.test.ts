import { WORK_WORKER } from '@lumenize/hosts/worker-config';
import { connect, type RpcError } from '@lumenize/rpc';
import { describe, expect, it } from 'vitest';
import { countFrames } from '../src/blocks/frame-counter.ts';
import { tokensOf } from '../src/gateway/gateway.ts';
import { armsOf } from '../src/subjects/arms.ts';
import type { SubjectName } from '../src/subjects/subject.ts';
import { serve } from './support/serve.ts';

const TIMEOUT_MS = 60_000;

it('the subjects of feature cost refuse by the features that they are named after, and base refuses nothing', {
  timeout: TIMEOUT_MS,
}, async () => {
  const url = (await serve(WORK_WORKER)).replace('http', 'ws');
  /** What a client is told that does not do as the subject does. */
  const codeOf = async (feature: SubjectName, by: number, token?: string) => {
    const path = `${token === undefined ? 'rpc' : 'secure'}/feature-${feature}/wrong`;
    using stub = connect<{ increment(by: number): number }>(`${url}/${path}`, { token });
    return await stub.increment(by).then(
      () => 'no error',
      // A call that waited for a connection was not executed, because the server refused that.
      ({ code, cause }: RpcError) => (code === 'NOT_EXECUTED' ? (cause as RpcError).code : code),
    );
  };
  const { creator, listener, forged } = await tokensOf();
  expect(await codeOf('base', 0.5)).toBe('no error');
  expect(await codeOf('authentication', 1)).toBe('DENIED');
  expect(await codeOf('authentication', 1, forged)).toBe('DENIED');
  expect(await codeOf('authentication', 1, listener)).toBe('DENIED');
  expect(await codeOf('authentication', 0.5, creator)).toBe('no error');
  expect(await codeOf('validation', 0.5)).toBe('INVALID_ARGUMENTS');
  expect(await codeOf('all', 1, listener)).toBe('DENIED');
  expect(await codeOf('all', 0.5, creator)).toBe('INVALID_ARGUMENTS');
  expect(await codeOf('all', 1, creator)).toBe('no error');
});

/** Frames up and down of all events that are counted, by subject. */
async function framesOf(scenario: string, events: number): Promise<Record<string, [up: number, down: number]>> {
  const plan = { scenario, arms: armsOf('lumenize', 'lumenize-batches', 'capnweb', 'raw'), rounds: 1, mirrored: false };
  const costs = await countFrames(await serve(WORK_WORKER), [plan], ({ id }) => `${id}-${events}`);
  const total = (perDelivery: number) => Math.round(perDelivery * events);
  return Object.fromEntries(costs.map(({ arm, framesUp, framesDown }) => [arm, [total(framesUp), total(framesDown)]]));
}

describe('the frames of events to one subscriber', { timeout: TIMEOUT_MS }, () => {
  it('are, one event at a time, the call, its answer and the event', async () => {
    expect(await framesOf('events/to-1', 128)).toMatchObject({
      lumenize: [128, 2 * 128],
      'lumenize-batches': [128, 2 * 128],
      raw: [128, 2 * 128],
    });
  });

  it('are those of one event for all of a turn, which neither callbacks nor hand-written JSON have', async () => {
    const { lumenize, 'lumenize-batches': batches, capnweb, raw } = await framesOf('events/to-1-burst', 140);
    expect([lumenize, batches]).toEqual([
      [7, 2 * 7],
      [7, 2 * 7],
    ]);
    expect(raw).toEqual([140, 2 * 140]);
    expect(capnweb[1]).toBeGreaterThanOrEqual(2 * 140);
  });
});
