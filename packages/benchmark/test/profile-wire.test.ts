import { describe, expect, it } from 'vitest';
import { FrameReader } from '../src/profile/frame-reader.ts';
import { linkName, modelledMs, segmentedBytes } from '../src/profile/latency-model.ts';

const HTTP = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n';

function frame(payload: number, { masked = false, opcode = 2 } = {}): Buffer {
  const length =
    payload < 126
      ? Buffer.of(payload)
      : payload < 2 ** 16
        ? Buffer.of(126, payload >> 8, payload & 255)
        : Buffer.concat([Buffer.of(127), Buffer.alloc(8)]);
  if (payload >= 2 ** 16) length.writeBigUInt64BE(BigInt(payload), 1);
  if (masked) length[0] |= 0x80;
  return Buffer.concat([Buffer.of(0x80 | opcode), length, Buffer.alloc((masked ? 4 : 0) + payload, 0xff)]);
}

function counted(bytes: Buffer, chunk = bytes.length) {
  const traffic = { frames: 0, bytes: 0 };
  const reader = new FrameReader(traffic);
  for (let at = 0; at < bytes.length; at += chunk) reader.read(bytes.subarray(at, at + chunk));
  return traffic;
}

describe('FrameReader', () => {
  const frames = [frame(5, { masked: true }), frame(126), frame(65_536, { masked: true }), frame(0)];
  const stream = Buffer.concat([Buffer.from(HTTP), ...frames]);
  // Headers of 6, 4, 14 and 2 bytes.
  const expected = { frames: 4, bytes: 6 + 5 + (4 + 126) + (14 + 65_536) + 2 };

  it('counts frames with their headers, after the upgrade', () => {
    expect(counted(stream)).toEqual(expected);
  });

  it.each([1, 3, 1000])('counts the same where they come in chunks of %d bytes', (chunk) => {
    expect(counted(stream, chunk)).toEqual(expected);
  });

  it('leaves pings out', () => {
    expect(counted(Buffer.concat([Buffer.from(HTTP), frame(4, { opcode: 9 }), frame(1)]))).toEqual({
      frames: 1,
      bytes: 3,
    });
  });
});

describe('the model of links', () => {
  it('adds round trips, bytes over bandwidth and processing', () => {
    // 2 × 50 ms, 12,500 bytes = 100,000 bits at 10 per µs = 10 ms, and 0.3 ms.
    const cost = { roundTrips: 2, bytes: 12_500, processingUs: 300 };
    expect(modelledMs(cost, { baseMs: 50, mbitPerSecond: 10 })).toBeCloseTo(110.3, 9);
  });

  it('adds headers for as many segments as the frames need', () => {
    expect([0, 1, 1448, 1449].map(segmentedBytes)).toEqual([0, 53, 1500, 1553]);
  });

  it('names a link with its units', () => {
    expect(linkName({ baseMs: 5, mbitPerSecond: 100 })).toBe('mbit100Base5Ms');
  });
});
