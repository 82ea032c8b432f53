import { describe, expect, it } from 'vitest';
import { type CpuProfile, sampledStacks } from '../src/profile/cpu-profile.ts';
import { fold } from '../src/profile/fold.ts';
import type { Locate } from '../src/profile/locate.ts';
import { type Side, stepOf } from '../src/profile/steps.ts';

const ENCODER = 'packages/structured-clone/src/binary/encoder.ts';
const RUN = 'packages/rpc/src/session/incoming/run.ts';
const COUNTER = 'packages/benchmark/src/work/work-target.ts';

/** Takes the URL for the source, as if there were no bundle. */
const asIs: Locate = ({ functionName, url, lineNumber }) => ({
  name: functionName,
  file: url,
  line: url === '' ? 0 : lineNumber + 1,
});

/** Makes a profile of stacks, each outermost function first, and the samples that found it. */
function profileOf(stacks: readonly [samples: number, ...frames: string[]][]): CpuProfile {
  const frame = (text: string) => {
    const [functionName, url = ''] = text.split('@');
    return { functionName, url, lineNumber: url === '' ? -1 : 9, columnNumber: -1 };
  };
  const nodes = [{ id: 1, callFrame: frame('(root)'), children: [] as number[] }];
  const samples: number[] = [];
  for (const [count, ...frames] of stacks) {
    let parent = nodes[0];
    for (const each of frames) {
      const node = { id: nodes.length + 1, callFrame: frame(each), children: [] };
      parent.children.push(node.id);
      nodes.push(node);
      parent = node;
    }
    samples.push(...Array<number>(count).fill(parent.id));
  }
  return { nodes, samples, startTime: 0, endTime: 1000 };
}

const folded = (side: Side, ...stacks: [number, ...string[]][]) => fold(profileOf(stacks), side, asIs);

describe('sampledStacks', () => {
  it('returns each stack from the inside out with its samples, without the root', () => {
    const [stack] = sampledStacks(profileOf([[3, `run@${RUN}`, `write@${ENCODER}`]]));
    expect(stack.frames.map(({ functionName }) => functionName)).toEqual(['write', 'run']);
    expect(stack.samples).toBe(3);
  });
});

describe('fold', () => {
  it('gives a sample to the innermost function, not to those that called it', () => {
    const { steps } = folded('server', [2, `run@${RUN}`], [3, `run@${RUN}`, `write@${ENCODER}`]);
    expect(steps).toEqual({ dispatch: 2, encode: 3 });
  });

  it('gives native code and the platform’s to whoever called it', () => {
    const { steps } = folded(
      'server',
      [4, `getValue@${COUNTER}`, 'get'],
      [5, `write@${ENCODER}`, 'concat@node:buffer', 'copy'],
    );
    expect(steps).toEqual({ execute: 4, encode: 5 });
  });

  it('tells what Node sends from what it receives by what stands between it and its caller', () => {
    const raw = 'packages/benchmark/src/subjects/raw-client.ts';
    const { steps } = folded(
      'client',
      [1, `call@${raw}`, 'send@node:internal/deps/undici/undici', 'write@node:internal/streams/writable', 'writev'],
      [2, 'onStreamRead@node:internal/stream_base_commons', 'write@node:internal/streams/writable'],
      [4, 'processTicksAndRejections@node:internal/process/task_queues', 'onwrite@node:internal/streams/writable'],
    );
    expect(steps).toEqual({ send: 5, receive: 2 });
  });

  it('keeps waiting apart, and garbage and the engine’s own work, whoever they came for', () => {
    const { steps, idle, samples } = folded(
      'client',
      [7, '(idle)'],
      [1, '(program)'],
      [2, `write@${ENCODER}`, '(garbage collector)'],
    );
    expect({ steps, idle, samples }).toEqual({ steps: { native: 1, garbage: 2 }, idle: 7, samples: 10 });
  });

  it('shows as other what the table does not know, and drops nothing', () => {
    const { steps, samples } = folded(
      'client',
      [3, 'surprise@node_modules/stranger/index.js'],
      [1, `write@${ENCODER}`],
    );
    expect(steps).toEqual({ other: 3, encode: 1 });
    expect(samples).toBe(4);
  });

  it('counts a function’s own samples, and all in which it was anywhere on the stack once, also when it calls itself', () => {
    const { functions } = folded(
      'server',
      [2, `run@${RUN}`, `run@${RUN}`, `write@${ENCODER}`],
      [1, `run@${RUN}`],
      [5, `getValue@${COUNTER}`, 'get'],
    );
    const told = functions.map(({ name, self, total, step }) => ({ name, self, total, step }));
    expect(told).toEqual([
      { name: `get, native, for getValue ${COUNTER}:10`, self: 5, total: 5, step: 'execute' },
      { name: 'write', self: 2, total: 2, step: 'encode' },
      { name: 'run', self: 1, total: 3, step: 'dispatch' },
    ]);
  });
});

describe('stepOf', () => {
  it.each([
    ['packages/structured-clone/src/binary/decoder.ts', 'decode', 'server', 'decode'],
    ['packages/rpc/src/protocol/frame-reader.ts', 'readCall', 'server', 'framing'],
    ['packages/rpc/dist/protocol/frame-reader.js', 'readCall', 'server', 'other'],
    ['packages/rpc/src/transport/socket.ts', 'send', 'client', 'send'],
    ['packages/rpc/src/session/incoming/replies.ts', 'add', 'server', 'reply'],
    ['packages/rpc/src/session/outgoing/call-table.ts', 'settle', 'client', 'reply'],
    ['packages/rpc/src/session/outgoing/stub.ts', 'apply', 'client', 'call'],
    ['node_modules/capnweb/src/serialize.ts', 'devaluateImpl', 'server', 'encode'],
    ['node_modules/capnweb/src/serialize.ts', 'evaluateImpl', 'server', 'decode'],
    ['node_modules/capnweb/src/rpc.ts', 'readLoop2', 'client', 'framing'],
    ['node_modules/capnweb/src/core.ts', 'followPath', 'server', 'dispatch'],
    ['packages/benchmark/worker/work-raw.ts', 'webSocketMessage', 'server', 'whole'],
  ] as const)('knows %s, %s, on the %s', (file, name, side, step) => {
    expect(stepOf({ file, name, line: 1 }, side)).toBe(step);
  });
});
