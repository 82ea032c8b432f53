import type { Mutant } from './mutant.ts';

const PRODUCER = 'packages/rpc/src/session/channels/producer.ts';
const CONSUMER = 'packages/rpc/src/session/channels/consumer.ts';
const CHANNELS = 'packages/rpc/src/session/channels/channels.ts';

/** Defects in streams, generators, promises and signals that travel. */
export const STREAMS: readonly Mutant[] = [
  {
    name: 'credit-is-not-given-back',
    file: CONSUMER,
    find: 'this.send(CREDIT, credit);',
    replace: '',
  },
  {
    name: 'the-end-of-a-connection-looks-like-the-end-of-a-stream',
    file: CONSUMER,
    find: 'lost(reason: unknown): void {\n    this.#end({ error: reason });',
    replace: 'lost(_reason: unknown): void {\n    this.#end({ chunk: DONE });',
  },
  {
    name: 'chunks-that-wait-are-read-last-first',
    file: CONSUMER,
    find: 'this.#chunks.shift()',
    replace: 'this.#chunks.pop()',
  },
  {
    name: 'an-object-stays-awake-for-a-stream-that-was-read-after-its-end',
    file: CONSUMER,
    find: 'if (this.#ending !== undefined && this.#chunks.length === 0) this.release();',
    replace: '',
  },
  {
    name: 'the-producer-is-not-told-that-nobody-reads-any-more',
    file: CONSUMER,
    find: 'else this.send(STOP);',
    replace: '',
  },
  {
    name: 'the-writer-is-not-told-that-all-was-handled',
    file: CONSUMER,
    find: 'if (this.isOpen) this.send(END);',
    replace: '',
  },
  {
    name: 'the-end-of-a-stream-takes-its-last-chunk-away',
    file: CONSUMER,
    find: 'return this.#end({ chunk: { done: true, value: content } }, cost, this.isAcknowledged);',
    replace:
      'this.#chunks.pop();\n        return this.#end({ chunk: { done: true, value: content } }, cost, this.isAcknowledged);',
  },
  {
    name: 'chunks-that-were-read-are-counted-as-waiting',
    file: CONSUMER,
    find: 'this.#waits(-chunk.cost);\n',
    replace: '',
  },
  {
    name: 'a-chunk-costs-the-producer-nothing',
    file: PRODUCER,
    find: 'this.table.maxWindow) - cost;',
    replace: 'this.table.maxWindow);',
  },
  {
    name: 'a-producer-that-waits-for-credit-is-not-woken',
    file: PRODUCER,
    find: 'if (this.#credit > 0) this.#wake();',
    replace: '',
  },
  {
    name: 'a-source-is-not-told-that-no-more-is-wanted',
    file: PRODUCER,
    find: 'this.leave();\n    this.onStop(reason);\n    this.#closed?.reject(reason);',
    replace: 'this.leave();\n    this.#closed?.reject(reason);',
  },
  {
    name: 'the-close-of-a-writer-waits-for-ever-when-the-other-side-stops',
    file: PRODUCER,
    find: 'this.#closed?.reject(reason);',
    replace: '',
  },
  {
    name: 'a-write-that-waits-for-credit-waits-for-ever-when-the-other-side-stops',
    file: PRODUCER,
    find: 'this.onLeave?.();\n    this.#wake();',
    replace: 'this.onLeave?.();',
  },
  {
    name: 'channels-that-have-ended-stay-in-the-table',
    file: 'packages/rpc/src/session/channels/channel.ts',
    find: 'this.table.left(this);',
    replace: '',
  },
  {
    name: 'an-object-stays-awake-for-channels-that-have-ended',
    file: 'packages/rpc/src/session/channels/channel.ts',
    find: 'this.#done();',
    replace: '',
  },
  {
    name: 'an-error-in-a-generator-looks-like-its-end',
    file: 'packages/rpc/src/session/channels/sending.ts',
    find: 'fail(producer, error, what, host);\n    if (!isOver) stop(error);',
    replace: 'producer.end();',
  },
  {
    name: 'a-promise-that-rejects-is-never-told-of',
    file: 'packages/rpc/src/session/channels/sending.ts',
    find: "(error) => fail(producer, error, 'Promise', host),",
    replace: '() => {},',
  },
  {
    name: 'a-generator-does-not-end-when-a-loop-is-left',
    file: 'packages/rpc/src/session/channels/receiving.ts',
    find: 'async return(value?: unknown): Promise<Chunk> {\n    this.#consumer.stop();',
    replace: 'async return(value?: unknown): Promise<Chunk> {',
  },
  {
    name: 'a-stream-that-is-cancelled-goes-on',
    file: 'packages/rpc/src/session/channels/receiving.ts',
    find: 'cancel: (reason: unknown) => consumer.stop(reason)',
    replace: 'cancel: () => {}',
  },
  {
    name: 'the-abort-of-a-writer-is-not-told-of',
    file: 'packages/rpc/src/session/channels/receiving.ts',
    find: 'abort: (reason) => producer.fail(reason),',
    replace: 'abort: () => {},',
  },
  {
    name: 'signals-among-arguments-stay-when-their-call-is-answered',
    file: CHANNELS,
    find: 'if (name === ABORT_SIGNAL) call?.onSettled(() => channel.leave());',
    replace: '',
  },
  {
    name: 'what-is-passed-to-a-call-that-does-not-run-goes-on',
    file: CHANNELS,
    find: "if (!hasRun) channel.abandon(new RpcError('CANCELLED', 'the call that it was passed to did not run'));",
    replace: 'void hasRun;',
  },
  {
    name: 'signals-stay-with-the-receiver-when-their-call-is-answered',
    file: CHANNELS,
    find: 'if (isAnswered) signal.drop();\n      else signal.stop();',
    replace: 'if (!isAnswered) signal.stop();',
  },
  {
    name: 'a-stream-in-a-result-that-nobody-waits-for-goes-on',
    file: CHANNELS,
    find: 'if (isWanted) return;',
    replace: 'return;',
  },
  {
    name: 'streams-hang-when-their-connection-is-gone',
    file: CHANNELS,
    find: 'for (const channel of this.#open.values()) channel.lost(error);',
    replace: '',
  },
];
