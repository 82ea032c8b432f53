import type { World } from '../world.ts';
import type { AnyStub, ProgramClient } from './client.ts';
import { type CallRecord, type SubscriptionRecord, toldOf } from './history.ts';

/** Uses the result of a call according to its kind, and records what arrives. Resolves when nothing of it is left. */
export async function use(world: World, client: ProgramClient, record: CallRecord, result: AnyStub): Promise<void> {
  const { returns } = record.method;
  try {
    switch (returns) {
      case 'number':
        record.value = result;
        break;
      case 'echo':
        record.value = result.value;
        takeBack(record, result.extra);
        break;
      case 'list':
        record.items.push(...result);
        record.value = result[0];
        break;
      case 'function':
        record.items.push(await result(1));
        break;
      case 'promise':
        record.value = result.value;
        record.items.push(result.later);
        break;
      case 'generator':
        return await goThrough(world, client, record, result[Symbol.asyncIterator](), (item) =>
          record.items.push(item as number),
        );
      case 'stream':
        return await goThrough(world, client, record, iteratorOf(result), (item) => record.items.push(item as number));
      case 'bytes':
        return await goThrough(world, client, record, iteratorOf(result), (item) =>
          record.items.push(...(item as Uint8Array)),
        );
      case 'subscription':
        return await follow(world, client, record, result);
      case 'writable':
        return await write(record, result);
      default:
        returns satisfies never;
    }
    record.end = 'all';
  } catch (error) {
    record.end = toldOf(error);
  } finally {
    if (returns === 'function') result[Symbol.dispose]();
  }
}

function takeBack(record: CallRecord, extra: unknown): void {
  if (record.method.takes === 'value') record.back = { value: extra };
  (extra as Partial<Disposable> | undefined)?.[Symbol.dispose]?.();
}

/** Reads elements until there are no more, the call has enough, or the client leaves. */
async function goThrough(
  world: World,
  client: ProgramClient,
  record: CallRecord,
  iterator: AsyncIterator<unknown>,
  take: (item: unknown) => void,
): Promise<void> {
  const { leaveAfter = Number.POSITIVE_INFINITY, pauseMs } = record.spec;
  let isLeft = false;
  const leave = () => {
    isLeft = true;
    client.open.delete(leave);
    iterator.return?.().then(undefined, () => {});
  };
  client.open.add(leave);
  try {
    for (let taken = 0; ; taken++) {
      if (taken >= leaveAfter) leave();
      if (isLeft) break;
      const { done, value } = await iterator.next();
      if (done) break;
      if (isLeft) break;
      take(value);
      if (pauseMs !== undefined) await world.sleep(pauseMs);
    }
    record.end = isLeft ? 'left' : 'all';
  } finally {
    client.open.delete(leave);
  }
}

function iteratorOf(stream: ReadableStream): AsyncIterator<unknown> {
  const reader = stream.getReader();
  return {
    next: () => reader.read() as Promise<IteratorResult<unknown>>,
    async return() {
      await reader.cancel();
      return { done: true, value: undefined };
    },
  };
}

async function follow(world: World, client: ProgramClient, record: CallRecord, subscription: AnyStub): Promise<void> {
  const noted = record.subscription as SubscriptionRecord;
  noted.isOpen = true;
  try {
    await goThrough(world, client, record, subscription, (item) => noted.items.push(item as never));
  } finally {
    noted.isOpen = false;
  }
}

async function write(record: CallRecord, stream: WritableStream<number>): Promise<void> {
  const writer = stream.getWriter();
  // The error is reported by the awaited promises.
  writer.closed.catch(() => {});
  for (let place = 0; place < record.spec.count; place++) await writer.write(place);
  await writer.close();
  record.end = 'all';
}
