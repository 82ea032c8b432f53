import { outcome, type Stage } from './stage.ts';

/** Checks that generators yield all items in order, at any pace, and that they end when no more items are wanted. */
export async function generators(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub, number } = stage.client();
  const count = stage.draw.pick([0, 1, 5, 40, 200, 200]);
  const failsAt = stage.draw.chance(3) ? stage.draw.int(0, count) : -1;
  const leaveAfter = stage.draw.chance(3) ? stage.draw.int(0, count) : Number.POSITIVE_INFINITY;
  const pauseMs = stage.draw.chance(3) ? 3 : 0;
  const cutAfter = stage.draw.chance(3) ? stage.draw.int(0, Math.min(count, 20)) : Number.POSITIVE_INFINITY;
  const seen: number[] = [];
  let end = 'all';
  try {
    for await (const item of await stub.numbers(count, failsAt)) {
      if (seen.length === leaveAfter) {
        end = 'left';
        break;
      }
      seen.push(item);
      if (seen.length === cutAfter) await stage.world.fault({ kind: 'cut', client: number });
      if (pauseMs > 0) await stage.world.sleep(pauseMs);
    }
  } catch (error) {
    end = String((error as { code?: string }).code ?? (error as Error).message);
  }
  stage.equal(
    seen,
    Array.from(seen, (_, place) => place),
    'what a generator gave',
  );
  if (end === 'as planned') stage.equal(seen.length, failsAt, 'how much came before an error');
  else if (end === 'all') stage.equal(seen.length, count, 'how much came in all');
  else if (end !== 'left') stage.check(cutAfter <= count && end === 'REFERENCE_LOST', `a generator ended with ${end}`);
  if (failsAt >= 0 && failsAt < count && end === 'all') stage.check(false, 'an error in a generator was not told of');
  await stage.until(async () => (await outcome(stub.count('generators'))) === 0, 'the generator has ended');
}

/** Checks that streams deliver all chunks, and that they are cancelled when their readers are. */
export async function readables(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub } = stage.client();
  const bytes = stage.draw.pick([0, 0, 1, 5000, 60_000]);
  const count = stage.draw.pick([0, 3, 40, 100]);
  const most = stage.draw.chance(2) ? stage.draw.int(1, 5) : Number.POSITIVE_INFINITY;
  const reader = (await stub.stream(count, bytes)).getReader();
  let place = 0;
  let size = 0;
  let isDone = false;
  while (place < most && !isDone) {
    const { done, value } = await reader.read();
    isDone = done;
    if (done) break;
    if (bytes === 0) stage.equal(value, place, 'a chunk of a stream');
    else size += value.byteLength;
    place++;
  }
  if (!isDone) await reader.cancel('enough');
  else if (bytes === 0) stage.equal(place, count, 'the number of chunks');
  else stage.equal(size, bytes * count, 'the number of bytes');
  await stage.until(async () => (await stub.count('streams')) === 0, 'the stream has ended');
}

/** Checks that writers are told when everything was handled, or that the other side has failed. */
export async function writables(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub } = stage.client();
  const count = stage.draw.pick([0, 3, 40, 100]);
  const failsAt = stage.draw.chance(3) ? stage.draw.int(1, 30) : -1;
  const isAborted = failsAt < 0 && stage.draw.chance(3);
  const pauseMs = stage.draw.pick([0, 0, 2]);
  const writer = (await stub.sink('written', pauseMs, failsAt)).getWriter();
  writer.closed.catch(() => {});
  let end: unknown;
  try {
    for (let place = 0; place < count; place++) {
      await writer.ready;
      const written = writer.write(place);
      written.catch(() => {});
    }
    end = await outcome(isAborted ? writer.abort('enough') : writer.close());
  } catch (error) {
    end = `rejected: ${(error as Error).message}`;
  }
  const fails = failsAt > 0 && failsAt <= count;
  if (fails) stage.equal(end, 'rejected: as planned', 'what a writer was told whose stream failed');
  else stage.equal(end, undefined, 'what a writer was told');
  await stage.comesTo(stub.count('written out of order'), 0, 'chunks that came out of order');
  if (fails) return;
  const wanted = isAborted ? 'written aborted' : 'written closed';
  await stage.until(async () => (await stub.count(wanted)) === 1, 'the stream was told of its end');
  if (!isAborted)
    await stage.comesTo(
      stub.count('written'),
      count,
      'chunks that were written when the writer was told that all were',
    );
}

/** Checks the same from the client to the object. */
export async function upwards(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub, connection, number } = stage.client();
  const count = stage.draw.pick([0, 3, 40, 150]);
  const most = stage.draw.chance(3) ? stage.draw.int(1, 20) : -1;
  let isOpen = 0;
  async function* items() {
    isOpen++;
    try {
      for (let place = 0; place < count; place++) yield place;
    } finally {
      isOpen--;
    }
  }
  const all = (length: number) => (length * (length - 1)) / 2;
  const taken = most > 0 ? Math.min(most, count) : count;
  await stage.comesTo(stub.sum(items(), most, stage.draw.pick([0, 0, 2])), all(taken), 'the sum of what was passed');
  await stage.until(() => isOpen === 0, 'what was passed has ended');
  await stage.rejects(stub.ofAdmins(items()), 'DENIED', 'a call that is refused to which something was passed');
  await stage.until(() => isOpen === 0, 'what was passed to a call that was refused has ended');
  let next = 0;
  const stream = new ReadableStream<number>({
    pull: (controller) => (next < 10 ? controller.enqueue(next++) : controller.close()),
  });
  await stage.comesTo(stub.sumLater(stream, stage.draw.pick([0, 100])), 45, 'the sum of a stream');
  const got: number[] = [];
  const failsAt = stage.draw.chance(2) ? stage.draw.int(1, 40) : -1;
  let isClosed = false;
  const sink = new WritableStream<number>({
    async write(chunk) {
      got.push(chunk);
      if (got.length === failsAt) throw new Error('as planned');
      await stage.world.sleep(1);
    },
    close() {
      isClosed = true;
    },
  });
  const fails = failsAt > 0 && failsAt <= count;
  await stage.comesTo(
    stub.write(sink, count),
    fails ? 'as planned' : 'closed',
    'what a method was told that wrote to the client',
  );
  stage.equal(
    got,
    Array.from(got, (_, place) => place),
    'what came to a stream of the client',
  );
  stage.check(fails || isClosed, 'a stream of the client was not closed');
  await stage.collect(number);
  stage.equal(connection.statistics.channels, 0, 'the channels that are left');
}

/** Checks that promises are awaited before they are passed, and that signals can be sent, and leave nothing behind. */
export async function promises(stage: Stage): Promise<void> {
  await stage.serve();
  const { stub, connection, number } = stage.client();
  await stage.comesTo(stub.promises(false), { kept: 1 }, 'a promise in a result');
  await stage.rejects(stub.promises(true), 'as planned', 'a promise in a result that rejects');
  const rejected = Promise.reject(new Error('as planned'));
  rejected.catch(() => {});
  await stage.comesTo(stub.settled(Promise.resolve(2)), 2, 'a promise that was passed');
  await stage.rejects(stub.settled(rejected), 'as planned', 'a promise that was passed and rejects');
  const controller = new AbortController();
  const isAborted = stage.draw.chance(2);
  const call = stub.withSignal(controller.signal, 100);
  if (isAborted) controller.abort();
  await stage.comesTo(call, isAborted, 'whether a signal that was passed is aborted');
  // The caller has given up when this one arrives.
  const unwanted = stage.world.library.withOptions(stub, { timeoutMs: 10 });
  await stage.rejects(unwanted.numbersLater(stage.draw.int(0, 50), 60), 'TIMED_OUT', 'a generator that comes too late');
  await stage.world.sleep(200);
  await stage.collect(number);
  stage.equal(connection.statistics.channels, 0, 'the channels that are left of a call that was given up');
  await stage.until(async () => (await stub.count('generators')) === 0, 'a generator has ended that nobody wanted');
}

/** Checks that a result is not started if the caller's connection is gone when the method returns it. */
export async function returnedTooLate(stage: Stage): Promise<void> {
  await stage.serve({ topics: [{ retain: 1 }] });
  const { stub, number } = stage.client();
  const calls = [() => stub.subscribeLater(0, 100), () => stub.numbersLater(20, 100), () => stub.makeLater(100)];
  const gone = outcome(stage.draw.pick(calls)());
  await stage.world.sleep(60);
  await stage.world.fault({ kind: 'cut', client: number });
  await gone;
  await stage.world.sleep(1000);
  await stage.comesTo(stub.count('generators'), 0, 'generators that were begun for a connection that is gone');
  await stage.comesTo(stub.subscribers(0), 0, 'how many are subscribed whose connection is gone');
  await stage.comesTo(
    stub.count('disposed'),
    await stub.count('made'),
    'how many targets were disposed of that came too late',
  );
}
