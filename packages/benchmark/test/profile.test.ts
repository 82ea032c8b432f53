import type { Profiler } from 'node:inspector';
import { describe, expect, it } from 'vitest';
import { fold, type Locate } from '../src/families/profile/fold.ts';

const ENCODER = 'packages/structured-clone/src/write.ts';
const RUN = 'packages/rpc/src/peer/answers.ts';
const COUNTER = 'packages/benchmark/src/work/work-target.ts';
const RAW = 'packages/benchmark/src/subjects/raw.ts';
const WRITE = `write@${ENCODER}`;

/** Takes the URL for the source, as if there were no bundle. */
const asIs: Locate = ({ functionName, url, lineNumber }) => ({
  name: functionName,
  file: url,
  line: url === '' ? 0 : lineNumber + 1,
});

/** Makes a profile of stacks, each outermost function first, and the samples that found it. */
function profileOf(stacks: readonly [samples: number, ...frames: string[]][]): Profiler.Profile {
  const frame = (text: string) => {
    const [functionName, url = ''] = text.split('@');
    return { functionName, scriptId: '0', url, lineNumber: url === '' ? -1 : 9, columnNumber: -1 };
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

const folded = (...stacks: [number, ...string[]][]) => fold(profileOf(stacks), asIs);

/** The samples of each place. */
function places(...stacks: [number, ...string[]][]) {
  const found: Record<string, number> = {};
  for (const { place, self } of folded(...stacks)) found[place] = (found[place] ?? 0) + self;
  return found;
}

describe('fold', () => {
  it('gives a sample to the innermost function, and to the source that an installed package has', () => {
    const found = places([2, `run@${RUN}`], [3, `run@${RUN}`, WRITE], [4, 'readLoop@node_modules/capnweb/src/rpc.ts']);
    expect(found).toEqual({ 'rpc/peer/answers': 2, 'structured-clone/write': 3, 'capnweb/rpc': 4 });
  });

  it('gives native code and the platform’s to whoever called it, or to where it began', () => {
    const found = places(
      [4, `getValue@${COUNTER}`, 'get'],
      [5, WRITE, 'concat@node:buffer', 'copy'],
      [1, `call@${RAW}`, 'send@node:internal/deps/undici/undici', 'write@node:internal/streams/writable', 'writev'],
      [2, 'onStreamRead@node:internal/stream_base_commons', 'write@node:internal/streams/writable'],
    );
    expect(found).toEqual({
      ...{ 'benchmark/work/work-target': 4, 'structured-clone/write': 5 },
      ...{ 'benchmark/subjects/raw': 1, 'node:internal/stream_base_commons': 2 },
    });
  });

  it('drops waiting, and keeps garbage and the engine’s own work apart, whoever they came for', () => {
    const found = places([7, '(idle)'], [1, '(program)'], [2, WRITE, '(garbage collector)']);
    expect(found).toEqual({ native: 1, garbage: 2 });
  });

  it('counts a function’s own samples, and all in which it was anywhere on the stack once, also when it calls itself', () => {
    expect(
      folded(
        [2, `run@${RUN}`, `run@${RUN}`, `write@${ENCODER}`],
        [1, `run@${RUN}`],
        [5, `getValue@${COUNTER}`, 'get'],
        [4, `run@${RUN}`, 'get'],
      ),
    ).toEqual([
      { name: 'get', place: 'benchmark/work/work-target', self: 5, total: 5 },
      { name: 'get', place: 'rpc/peer/answers', self: 4, total: 4 },
      { name: `write ${ENCODER}:10`, place: 'structured-clone/write', self: 2, total: 2 },
      { name: `run ${RUN}:10`, place: 'rpc/peer/answers', self: 1, total: 7 },
    ]);
  });
});
