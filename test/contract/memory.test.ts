import { describeFrame, formatFrame, type RecordedFrame, recordFrames } from '@lumenize/rpc/inspect';
import { connectInMemory } from '@lumenize/rpc/memory';
import { afterAll, expect } from 'vitest';
import { contract } from './contract.ts';
import { ContractTarget } from './contract-target.ts';

const frames: RecordedFrame[] = [];
const wrapTransport = recordFrames((frame) => void frames.push(frame));

contract('memory', (options) => connectInMemory(new ContractTarget(), { ...options, wrapTransport }), {
  lacks: { caller: 'whoever calls in memory is not identified' },
});

// Whatever the cases send can be described.
afterAll(() => {
  const described = frames.map(({ message, direction }) => describeFrame(message, direction));
  expect(described.filter(({ kind }) => kind === 'unreadable').map(formatFrame)).toEqual([]);
});
