import type { Taking } from '../src/programs/program.ts';

/** What a method does with what it is passed beside its key. Throws where it is not what the client says that it passes. */
export async function take(taking: Taking, given: unknown, key: string, count: number): Promise<void> {
  switch (taking) {
    case 'value':
      return;
    case 'callback':
      return callBack(given as Callback, key, count);
    case 'target':
      return useTarget(given as ClientTarget, key, count);
    case 'iterable':
      return goThrough(given as AsyncIterable<number>, count);
    case 'stream':
      return goThrough(chunksOf(given as ReadableStream<number>), count);
    case 'signal':
      return untilAborted(given as AbortSignal);
    default:
      taking satisfies never;
  }
}

/** Calls a function of the client without waiting for it, as a synchronous method has to. */
export function takeAtOnce(taking: Taking, given: unknown, key: string, count: number): void {
  if (taking !== 'callback') return;
  const callback = given as Callback;
  const calls = Array.from({ length: count }, (_, place) => callback(key, place));
  void Promise.allSettled(calls).then(() => callback[Symbol.dispose]());
}

type Callback = ((key: string, place: number) => Promise<number>) & Disposable;

interface ClientTarget extends Disposable {
  note(key: string, place: number): Promise<number>;
  readonly size: Promise<number>;
}

async function callBack(callback: Callback, key: string, count: number): Promise<void> {
  using _ = callback;
  const answers = await Promise.all(Array.from({ length: count }, (_, place) => callback(key, place)));
  for (const [place, answer] of answers.entries()) require(answer === place * 2, `a callback answered ${answer}`);
}

async function useTarget(target: ClientTarget, key: string, count: number): Promise<void> {
  using _ = target;
  for (let place = 0; place < count; place++) await target.note(key, place);
  const size = await target.size;
  require(size === count, `a target of the client was called ${size} times in place of ${count}`);
}

async function goThrough(items: AsyncIterable<number>, count: number): Promise<void> {
  let seen = 0;
  for await (const item of items) require(item === seen++, `${item} came as number ${seen - 1} from the client`);
  require(seen === count, `${seen} of ${count} came from the client`);
}

async function* chunksOf(stream: ReadableStream<number>): AsyncGenerator<number> {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

const LONGEST_MS = 1000;

function untilAborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) return Promise.resolve();
  const timer = setTimeout(resolve, LONGEST_MS);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}

function require(holds: boolean, message: string): void {
  if (!holds) throw new Error(message);
}
