import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GuardedProcess } from '@lumenize/hosts/guarded-process';
import { executable } from '@lumenize/hosts/installed';
import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { workerdConfig } from '@lumenize/hosts/workerd-config';
import { connect } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { observeCalls, workersSpans } from '@lumenize/rpc/observe';
import { expect, test } from 'vitest';
import { projectFolder } from '../../support/serve-counter.ts';

const START_TIMEOUT_MS = 20_000;

interface Spans {
  stored(value: string): Promise<string>;
  fails(): never;
}

/** A span as the runtime tells of it. */
interface RuntimeSpan {
  readonly name: string;
  readonly parent: string;
  readonly attributes: Record<string, unknown>;
  readonly status: unknown;
  readonly isClosed: boolean;
}

/** Prints the spans of each invocation when it is over. */
const TAIL = `export default {
  tailStream() {
    const spans = {};
    return ({ event, spanContext }) => {
      const span = spans[spanContext.spanId];
      if (event.type === 'spanOpen') {
        spans[event.spanId] = { name: event.name, parent: span?.name ?? '', attributes: {}, isClosed: false };
      } else if (event.type === 'attributes' && span) {
        for (const { name, value } of event.info) span.attributes[name] = value;
      } else if (event.type === 'spanUpdate' && span) span.status = event.info.status;
      else if (event.type === 'spanClose' && span) span.isClosed = true;
      else if (event.type === 'outcome') console.log('SPANS ' + JSON.stringify(Object.values(spans)));
    };
  },
};
`;

/** Serves the Worker in workerd, with another one that is told of its spans. */
async function serve(folder: string): Promise<GuardedProcess> {
  await mkdir(join(folder, 'storage'));
  await bundleWorker(join(projectFolder, 'test/workerd/spans-worker.ts'), folder, ['@lumenize/source']);
  await writeFile(join(folder, 'tail.js'), TAIL);
  const served = { compatibilityDate: '2026-10-15', objects: { SPANS: 'Spans' } };
  const tail = `(name = "tail", worker = (
      modules = [(name = "tail.js", esModule = embed "tail.js")],
      compatibilityDate = "2026-10-15",
      compatibilityFlags = ["streaming_tail_worker"],
    )),`;
  const config = workerdConfig(served, join(folder, 'storage'), 0)
    .replace(/^ +compatibilityDate/m, 'streamingTails = ["tail"],\n$&')
    .replace(/^ +\(name = "storage"/m, `${tail}\n$&`);
  const file = join(folder, 'config.capnp');
  await writeFile(file, config);
  const args = ['serve', file, '--experimental', '--control-fd=3'];
  return new GuardedProcess(join(folder, 'guarded'), executable('workerd'), args);
}

test('calls are among the spans of the Workers runtime, and what a method does is below its call', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'lumenize-spans-'));
  const process = await serve(folder);
  try {
    const [, port] = await process.find(/"event":"listen","socket":"http","port":(\d+)/, START_TIMEOUT_MS);
    using stub = connect<Spans>(`ws://127.0.0.1:${port}/rpc/spans/one`);
    expect(await stub.stored('x')).toBe('x');
    await expect(stub.fails()).rejects.toThrow('as it should');
    const spansOf = async (name: string): Promise<RuntimeSpan[]> => {
      const [, json] = await process.find(new RegExp(`SPANS (.*${name}.*)$`, 'm'), START_TIMEOUT_MS);
      return JSON.parse(json);
    };
    const stored = await spansOf('rpc stored');
    expect(stored.map(({ name, parent }) => [name, parent])).toEqual([
      ['rpc stored', ''],
      ['durable_object_storage_put', 'rpc stored'],
      ['of the method', 'rpc stored'],
      ['durable_object_storage_get', 'rpc stored'],
    ]);
    expect(stored[0].attributes).toEqual({ 'rpc.system.name': 'lumenize', 'rpc.method': 'stored' });
    expect(stored.every(({ isClosed }) => isClosed)).toBe(true);
    expect(await spansOf('rpc fails')).toMatchObject([
      {
        attributes: { 'error.type': 'RangeError' },
        status: { code: 'error', message: 'as it should' },
        isClosed: true,
      },
    ]);
  } finally {
    await process.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

test.each([undefined, {}, { startSpan: () => ({ setAttribute: () => {} }) }])(
  'a runtime that has no such tracing is left alone',
  async (tracing) => {
    class Greeter extends RpcTarget {
      greet(): string {
        return 'hello';
      }
    }
    using stub = connectInMemory(new Greeter(), { observe: observeCalls(workersSpans(tracing)) });
    expect(await stub.greet()).toBe('hello');
  },
);
