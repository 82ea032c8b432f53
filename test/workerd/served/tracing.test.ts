import { connect, RpcError } from '@lumenize/rpc';
import { observeCalls } from '@lumenize/rpc/observe';
import { traceCalls } from '@lumenize/rpc/opentelemetry';
import { RpcTarget, serveSocket } from '@lumenize/rpc/socket';
import * as api from '@opentelemetry/api';
import { beforeEach, describe, expect, test } from 'vitest';
import { type ServedWs, serveWs } from '../../support/serve-ws.ts';
import { sharedWorker } from '../../support/shared-worker.ts';
import { recordSpans, type SeenSpan } from '../../support/traced-spans.ts';
import type { FrontTarget } from '../../support/traced-targets.ts';

const takeSpans = recordSpans();
const observe = observeCalls(traceCalls(api));
const tracer = api.trace.getTracer('test');
const CLIENT = api.SpanKind.CLIENT;
const SERVER = api.SpanKind.SERVER;

beforeEach(() => {
  takeSpans();
});

/** Serves a target over real sockets, whose calls are traced. */
function serve(target: RpcTarget): Promise<ServedWs> {
  return serveWs((socket) => serveSocket(socket, target, { observe }));
}

/** The spans as a tree: each with what is below it, by name and kind. */
function tree(spans: readonly SeenSpan[], parent?: string): unknown[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .map(({ name, kind, spanId }) => [`${name} ${api.SpanKind[kind]}`, ...tree(spans, spanId)]);
}

class Adder extends RpcTarget {
  add(by: number): number {
    if (by < 0) throw new RangeError('only more');
    api.trace.getActiveSpan()?.addEvent(`added ${by}`);
    return by;
  }
  forbidden(): never {
    throw new RpcError('DENIED', 'not you');
  }
}

describe('over sockets in Node', () => {
  test('the span of a call is the parent of the span of its answer, also through a second server', async () => {
    await using back = await serve(new Adder());
    using adder = connect<Adder>(back.url, { observe });
    class Front extends RpcTarget {
      async total(): Promise<number> {
        const first = await adder.add(1);
        return first + (await adder.add(2));
      }
    }
    await using front = await serve(new Front());
    using stub = connect<Front>(front.url, { observe });
    await tracer.startActiveSpan('page', async (span) => {
      expect(await stub.total()).toBe(3);
      span.end();
    });
    const spans = takeSpans();
    const add = ['add CLIENT', ['add SERVER']];
    expect(tree(spans)).toEqual([['page INTERNAL', ['total CLIENT', ['total SERVER', add, add]]]]);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    for (const { kind, hasRemoteParent } of spans) expect(hasRemoteParent).toBe(kind === SERVER);
    expect(spans.filter(({ events }) => events.length > 0).map(({ kind, events }) => [kind, events])).toEqual([
      [SERVER, ['added 1']],
      [SERVER, ['added 2']],
    ]);
  });

  test('spans have the attributes of the conventions', async () => {
    await using served = await serve(new Adder());
    using adder = connect<Adder>(served.url, { observe: observeCalls(traceCalls(api, { service: 'Adder' })) });
    await adder.add(1);
    const [server, client] = takeSpans();
    const common = {
      'rpc.system.name': 'lumenize',
      'lumenize.rpc.call.bytes': expect.any(Number),
      'lumenize.rpc.result.bytes': expect.any(Number),
    };
    expect(server).toMatchObject({ name: 'add', kind: SERVER, status: { code: api.SpanStatusCode.UNSET } });
    expect(server.attributes).toEqual({ ...common, 'rpc.method': 'add' });
    expect(client).toMatchObject({ name: 'Adder/add', kind: CLIENT });
    const { port } = new URL(served.url);
    expect(client.attributes).toEqual({
      ...common,
      'rpc.method': 'Adder/add',
      'server.address': '127.0.0.1',
      'server.port': Number(port),
    });
  });

  test('what a method throws is an error on both sides, and its exception is on the side that threw it', async () => {
    await using served = await serve(new Adder());
    using adder = connect<Adder>(served.url, { observe });
    await expect(adder.add(-1)).rejects.toThrow('only more');
    const status = { code: api.SpanStatusCode.ERROR, message: 'only more' };
    expect(takeSpans()).toMatchObject([
      { kind: SERVER, status, attributes: { 'error.type': 'RangeError' }, events: ['exception'] },
      { kind: CLIENT, status, attributes: { 'error.type': 'RangeError' }, events: [] },
    ]);
  });

  test('what the caller did wrong is an error of the caller, with its code, and made-up names are no names of spans', async () => {
    await using served = await serve(new Adder());
    using adder = connect<Adder & { nonsense(): void }>(served.url, { observe });
    await expect(adder.forbidden()).rejects.toThrow('not you');
    await expect(adder.nonsense()).rejects.toThrow('nonsense');
    const unset = { code: api.SpanStatusCode.UNSET };
    const error = { code: api.SpanStatusCode.ERROR };
    const denied = { 'error.type': 'DENIED', 'rpc.response.status_code': 'DENIED' };
    expect(takeSpans()).toMatchObject([
      { name: 'forbidden', kind: SERVER, status: unset, attributes: denied },
      { name: 'forbidden', kind: CLIENT, status: error, attributes: denied },
      {
        name: '_OTHER',
        status: unset,
        attributes: { 'rpc.method': '_OTHER', 'rpc.method_original': 'nonsense', 'error.type': 'METHOD_NOT_FOUND' },
      },
      { name: 'nonsense', status: error },
    ]);
  });
});

test('in workerd the trace goes from a client to an object, and on to the other object that it calls', async () => {
  const worker = await sharedWorker();
  using front = connect<FrontTarget>(worker.url('/rpc/front/one'), { observe });
  await tracer.startActiveSpan('page', async (span) => {
    expect(await front.total()).toBe(3);
    span.end();
  });
  const here = takeSpans();
  const spans = [...here, ...(await front.takeSpans())];
  const add = ['add CLIENT', ['add SERVER']];
  expect(tree(spans)).toEqual([['page INTERNAL', ['total CLIENT', ['total SERVER', add, add]]]]);
  expect(here.map(({ name }) => name)).toEqual(['total', 'page']);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(spans.flatMap(({ events }) => events)).toEqual(['added 1', 'added 2']);
});
