// The client of the family *cold*: it has no library but that of the subject it is asked for, which it loads then.
import { expectAnswer } from '../../scenarios/scenario.ts';
import type { Connection, Subject } from '../../subjects/subject.ts';

/** What is called, and how often, for a scenario. */
export type Calls = readonly [scenario: string, kind: 'read' | 'rows' | 'bytes', count: number];

/** What is called one after the other, and what is sent there and back. */
export interface Values {
  readonly calls: readonly Calls[];
  /** As JSON, and as base64. */
  readonly rows: string;
  readonly bytes: string;
}

/** Where a subject is, and what it is asked for. */
export interface ColdRequest extends Values {
  /** Path of the module, and the name of its export. */
  readonly module: string;
  readonly name: string;
  readonly url: string;
  readonly instance: string;
}

/** The times of every scenario; `import` is part of the first result. */
export type ColdTimes = Readonly<Record<string, readonly number[]>>;

let open: Connection | undefined;

/** Connects for the first time to an object that nobody has called, and makes all calls. */
export async function connect({ module, name, url, instance, ...values }: ColdRequest): Promise<ColdTimes> {
  // Node loads its own with the first use; a page and a Worker have it.
  void globalThis.WebSocket;
  const start = performance.now();
  const subject = ((await import(module)) as Record<string, Subject>)[name];
  const imported = performance.now();
  open = await subject.connect(url, instance);
  const answer = await open.getValue();
  const answered = performance.now();
  expectAnswer('the first getValue', answer, 0);
  return { import: [imported - start], 'first-result': [answered - start], ...(await callAll(open, values)) };
}

/** Makes all calls on the connection that is open. */
export async function again(values: Values): Promise<ColdTimes> {
  const start = performance.now();
  const answer = await open!.getValue();
  const answered = performance.now();
  expectAnswer('getValue', answer, 0);
  return { 'first-result': [answered - start], ...(await callAll(open!, values)) };
}

/** Warms this process and the server up, `times` times on a connection of its own, and leaves the last one open. */
export async function warmUp({ times, ...request }: ColdRequest & { readonly times: number }): Promise<void> {
  for (let i = 0; i < times; i++) {
    open?.close();
    await connect({ ...request, instance: `${request.instance}-${i}` });
  }
}

/** Closes the connection that is open. */
export async function close(): Promise<void> {
  open?.close();
}

async function callAll(connection: Connection, { calls, rows, bytes }: Values) {
  const sentRows: unknown = JSON.parse(rows);
  const sentBytes = new Uint8Array(Buffer.from(bytes, 'base64'));
  const echo = (value: unknown): PromiseLike<unknown> =>
    connection.echo ? connection.echo(value) : connection.turn!((work) => work.echo(value));
  const isRight = {
    read: (answer: unknown) => answer === 0,
    // As JSON: some libraries add a way to dispose of what they pass.
    rows: (answer: unknown) => JSON.stringify(answer) === rows,
    bytes: (answer: unknown) => Buffer.compare(answer as Uint8Array, sentBytes) === 0,
  };
  const call = { read: () => connection.getValue(), rows: () => echo(sentRows), bytes: () => echo(sentBytes) };
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
