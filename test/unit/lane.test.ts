import { Lane, SEGMENT_BYTES } from '@lumenize/hosts/links/lane';
import { describeLink, LINKS } from '@lumenize/hosts/links/link';
import { SegmentQueue } from '@lumenize/hosts/links/segment-queue';
import { seededRandom } from '@lumenize/hosts/random';
import { describe, expect, it } from 'vitest';

const HEADER_BYTES = 52;
const never = () => 0.999;
/** Loses the packets of these numbers, from 0 on. */
function losing(...numbers: number[]) {
  let packet = -1;
  return () => (numbers.includes(++packet) ? 0 : 0.999);
}
/** 1000 bits are a millisecond. */
const SLOW = { delayMs: 10, bitsPerSecond: 1e6 };
const bytesOf = (n: number) => Uint8Array.from({ length: n }, (_, i) => i % 251);

describe('a lane', () => {
  it('delivers after the delay and the time that the bytes take, headers included', () => {
    expect(new Lane(SLOW, never).send(73, 5)).toEqual({ arrivesAt: 5 + 1 + 10, lost: false });
  });

  it('is occupied by one packet at a time, whoever sends it', () => {
    const lane = new Lane(SLOW, never);
    const arrivals = [0, 0, 0.5, 100].map((now) => lane.send(125 - HEADER_BYTES, now).arrivesAt);
    expect(arrivals).toEqual([11, 12, 13, 111]);
  });

  it('keeps to its bandwidth over many packets, however late the sender wakes up', () => {
    const lane = new Lane({ delayMs: 0, bitsPerSecond: 20e6 }, never);
    let last = 0;
    // The sender has its next packets every 7 ms and always more of them than the lane takes in that time.
    for (let i = 0; i < 1000; i++) last = lane.send(SEGMENT_BYTES, 7 * Math.floor(i / 20)).arrivesAt;
    expect((8 * 1000 * (SEGMENT_BYTES + HEADER_BYTES)) / (last / 1000)).toBeCloseTo(20e6);
  });

  it('is early and late by no more than the jitter, and by less on average', () => {
    const lane = new Lane({ delayMs: 30, jitterMs: 5, bitsPerSecond: Number.POSITIVE_INFINITY }, seededRandom(1));
    const trips = Array.from({ length: 2000 }, (_, i) => lane.send(1, 10 * i).arrivesAt - 10 * i);
    expect(Math.min(...trips)).toBeGreaterThanOrEqual(25);
    expect(Math.min(...trips)).toBeLessThan(26);
    expect(Math.max(...trips)).toBeLessThanOrEqual(35);
    expect(Math.max(...trips)).toBeGreaterThan(34);
    expect(trips.reduce((sum, trip) => sum + trip) / trips.length).toBeCloseTo(30, 0);
  });

  it('loses the share that it is told to', () => {
    const lane = new Lane({ ...SLOW, lossShare: 0.05 }, seededRandom(1));
    const lost = Array.from({ length: 20_000 }, (_, i) => lane.send(1, i).lost).filter(Boolean).length;
    expect(lost).toBeGreaterThan(900);
    expect(lost).toBeLessThan(1100);
  });
});

describe('a segment queue', () => {
  const RTT_MS = 20;
  const TIMEOUT_MS = 200;
  const FAST = { delayMs: RTT_MS / 2, bitsPerSecond: Number.POSITIVE_INFINITY, lossShare: 0.01 };

  it('gives out what was sent, in segments, in order, and its end last', () => {
    const queue = new SegmentQueue(new Lane(SLOW, never), RTT_MS);
    const data = bytesOf(2 * SEGMENT_BYTES + 10);
    queue.send(data.subarray(0, 100), 0);
    queue.send(data.subarray(100), 0);
    queue.end(0);
    expect(queue.take(10)).toEqual([]);
    expect(queue.bytes).toBe(data.length);
    const taken = queue.take(1000);
    expect(taken.map((part) => part?.length)).toEqual([100, SEGMENT_BYTES, SEGMENT_BYTES - 90, undefined]);
    expect(Buffer.concat(taken.slice(0, -1) as Uint8Array[])).toEqual(Buffer.from(data));
    expect(queue.bytes).toBe(0);
    expect(queue.dueAt).toBe(Number.POSITIVE_INFINITY);
  });

  it('has a lost segment, and those behind it, wait for a timeout where few follow', () => {
    const queue = new SegmentQueue(new Lane(FAST, losing(0)), RTT_MS);
    for (let i = 0; i < 3; i++) queue.send(bytesOf(1 + i), i);
    expect(queue.dueAt).toBe(10 + RTT_MS + TIMEOUT_MS);
    expect(queue.take(queue.dueAt - 0.01)).toEqual([]);
    expect(queue.take(queue.dueAt).map((part) => part?.length)).toEqual([1, 2, 3]);
  });

  it('has it wait for a round trip where three that follow tell of it', () => {
    const queue = new SegmentQueue(new Lane(FAST, losing(1)), RTT_MS);
    for (let i = 0; i < 6; i++) queue.send(bytesOf(1 + i), i);
    expect(queue.take(10).length).toBe(1);
    // The third one behind it was sent at 4 and has arrived at 14.
    expect(queue.dueAt).toBe(14 + RTT_MS);
    expect(queue.take(queue.dueAt).length).toBe(5);
  });
});

describe('the links', () => {
  it('are described in a few words', () => {
    expect(describeLink(LINKS.lan)).toBe('1 ms, 1000 Mbit/s');
    expect(describeLink(LINKS.lte)).toBe('60 ± 10 ms, 20/5 Mbit/s, 0.5 % loss');
  });
});
