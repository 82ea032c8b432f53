// The client of the family *cold*. It has no library except that of the requested subject, which it loads on request.
// What is written by hand is here already, as in a page that does without a library.
import { expectAnswer } from '../../scenarios/scenario.ts';
import { raw, rawPlain } from '../../subjects/raw.ts';
import type { Connection, Subject } from '../../subjects/subject.ts';

/** The calls of a scenario: their kind and number. */
export type Calls = readonly [scenario: string, kind: 'read' | 'rows' | 'bytes', count: number];

/** The calls to make one after the other, and the values to send there and back. */
export interface Values {
  readonly calls: readonly Calls[];
  /** The rows, as JSON. `bytes` is base64. */
  readonly rows: string;
  readonly bytes: string;
}

/** The location of a subject, and its calls. */
export interface ColdRequest extends Values {
  /** The path of the module; undefined for what is written by hand. `name` is the name of its export. */
  readonly module: string | undefined;
  readonly name: string;
  readonly url: string;
  readonly instance: string;
}

/** The times of every scenario. `import` is part of the first result, and that of `up-to-read-11`. */
export type ColdTimes = Readonly<Record<string, readonly number[]>>;

/** The subjects that import nothing. */
const BY_HAND: Readonly<Record<string, Subject>> = { raw, rawPlain };

let open: Connection | undefined;

/** Connects for the first time to an object that has not been called, and makes all calls. */
export async function connect({ module, name, url, instance, ...values }: ColdRequest): Promise<ColdTimes> {
  // Node loads its WebSocket on first use. A page and a Worker already have it.
  void globalThis.WebSocket;
  const start = performance.now();
  const subjects: Record<string, Subject> = module === undefined ? BY_HAND : await import(module);
  const imported = performance.now();
  open = await subjects[name].connect(url, instance);
  const answer = await open.work.getValue();
  const answered = performance.now();
  expectAnswer('the first getValue', answer, 0);
  return {
    ...(module !== undefined && { import: [imported - start] }),
    ...(await callOn(open, answered - start, values)),
  };
}

/** Imports a module, and returns how long it takes. */
export async function load(module: string): Promise<number> {
  const start = performance.now();
  await import(module);
  return performance.now() - start;
}

/** Makes all calls on the open connection. */
export async function again(values: Values): Promise<ColdTimes> {
  const start = performance.now();
  const answer = await open!.work.getValue();
  const answered = performance.now();
  expectAnswer('getValue', answer, 0);
  return callOn(open!, answered - start, values);
}

/**
 * Warms up this process and the server `times` times, each on a connection of its own. The last connection stays open.
 */
export async function warmUp({ times, ...request }: ColdRequest & { readonly times: number }): Promise<void> {
  for (let i = 0; i < times; i++) {
    open?.close();
    await connect({ ...request, instance: `${request.instance}-${i}` });
  }
}

/** Closes the open connection. */
export async function close(): Promise<void> {
  open?.close();
}

/** Makes all calls, the first of which have been reads. `firstMs` is the time up to the first result. */
async function callOn(connection: Connection, firstMs: number, values: Values): Promise<ColdTimes> {
  const times = await callAll(connection, values);
  const [[reads]] = values.calls;
  const readsMs = times[reads].reduce((sum, each) => sum + each, firstMs);
  return { 'first-result': [firstMs], 'up-to-read-11': [readsMs], ...times };
}

async function callAll(connection: Connection, { calls, rows, bytes }: Values) {
  const sentRows: unknown = JSON.parse(rows);
  const sentBytes = new Uint8Array(Buffer.from(bytes, 'base64'));
  const isRight = {
    read: (answer: unknown) => answer === 0,
    // Compared as JSON, because some libraries add a method to dispose of the objects that they pass.
    rows: (answer: unknown) => JSON.stringify(answer) === rows,
    bytes: (answer: unknown) => Buffer.compare(answer as Uint8Array, sentBytes) === 0,
  };
  const call = {
    read: () => connection.work.getValue(),
    rows: () => connection.work.echo(sentRows),
    bytes: () => connection.work.echo<unknown>(sentBytes),
  };
  const times: Record<string, number[]> = {};
  for (const [scenario, kind, count] of calls) {
    times[scenario] = [];
    for (let i = 0; i < count; i++) {
      const start = performance.now();
      const answer = await call[kind]();
      times[scenario].push(performance.now() - start);
      expectAnswer(`whether the answer of ${scenario} is right`, isRight[kind](answer), true);
    }
  }
  return times;
}
