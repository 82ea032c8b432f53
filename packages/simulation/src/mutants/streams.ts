import type { Mutant } from './mutant.ts';

const PRODUCER = 'packages/rpc/src/extensions/streams/producer.ts';
const CONSUMER = 'packages/rpc/src/extensions/streams/consumer.ts';
const CHANNELS = 'packages/rpc/src/extensions/streams/channels.ts';

/** Defects in streams, generators, promises and signals that are sent. */
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
    find: 'destroy(reason: unknown): void {\n    this.#end({ chunk: DONE, failure: [reason], cost: 0 });',
    replace: 'destroy(_reason: unknown): void {\n    this.#end(LAST);',
  },
  {
    name: 'chunks-that-wait-are-read-last-first',
    file: CONSUMER,
    find: 'this.#items.shift()',
    replace: 'this.#items.pop()',
  },
  {
    name: 'an-object-stays-awake-for-a-stream-that-was-read-after-its-end',
    file: CONSUMER,
    find: 'this.#releaseRead();\n      return this.#take(item);',
    replace: 'return this.#take(item);',
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
    find: 'return this.#end({ chunk: { done: true, value: content }, cost }, this.kind.isSink);',
    replace:
      'this.#items.pop();\n        return this.#end({ chunk: { done: true, value: content }, cost }, this.kind.isSink);',
  },
  {
    name: 'chunks-that-were-read-are-counted-as-waiting',
    file: CONSUMER,
    find: 'this.#waiting.bytes -= item.cost;\n',
    replace: '',
  },
  {
    name: 'a-chunk-costs-the-producer-nothing',
    file: PRODUCER,
    find: 'this.maxWindow) - cost;',
    replace: 'this.maxWindow);',
  },
  {
    name: 'a-producer-that-waits-for-credit-is-not-woken',
    file: PRODUCER,
    find: 'if (this.#credit > 0) this.wake();',
    replace: '',
  },
  {
    name: 'a-source-is-not-told-that-no-more-is-wanted',
    file: PRODUCER,
    find: 'this.leave();\n    this.onStop?.(reason);\n    this.#closed?.reject(reason);',
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
    find: 'this.onLeave?.();\n    this.wake();',
    replace: 'this.onLeave?.();',
  },
  {
    name: 'channels-that-have-ended-stay-in-the-table',
    file: 'packages/rpc/src/extensions/streams/channel.ts',
    find: 'this.table.left(this);',
    replace: '',
  },
  {
    name: 'an-object-stays-awake-for-channels-that-have-ended',
    file: 'packages/rpc/src/extensions/streams/channel.ts',
    find: 'this.#done?.();',
    replace: '',
  },
  {
    name: 'an-error-in-a-generator-looks-like-its-end',
    file: 'packages/rpc/src/extensions/streams/kinds.ts',
    find: 'producer.broke(error, what);\n    if (!isOver) stop(error);',
    replace: 'producer.data(undefined, END);',
  },
  {
    name: 'a-promise-that-rejects-is-never-told-of',
    file: 'packages/rpc/src/extensions/streams/kinds.ts',
    find: "(error) => producer.broke(error, 'Promise'),",
    replace: '() => {},',
  },
  {
    name: 'a-generator-does-not-end-when-a-loop-is-left',
    file: 'packages/rpc/src/extensions/streams/kinds.ts',
    find: 'async return(value?: unknown): Promise<Chunk> {\n    this.#consumer.stop();',
    replace: 'async return(value?: unknown): Promise<Chunk> {',
  },
  {
    name: 'a-stream-that-is-cancelled-goes-on',
    file: 'packages/rpc/src/extensions/streams/kinds.ts',
    find: 'cancel: (reason: unknown) => consumer.stop(reason)',
    replace: 'cancel: () => {}',
  },
  {
    name: 'the-abort-of-a-writer-is-not-told-of',
    file: 'packages/rpc/src/extensions/streams/kinds.ts',
    find: 'abort: (reason) => producer.fail(reason),',
    replace: 'abort: () => {},',
  },
  {
    name: 'signals-among-arguments-stay-when-their-call-is-answered',
    file: CHANNELS,
    find: 'if (isOfCall) call?.onSettled(() => channel.leave());',
    replace: '',
  },
  {
    name: 'what-is-passed-to-a-call-that-does-not-run-goes-on',
    file: CHANNELS,
    find: "if (!hasRun) channel.abandon(cancelled('the call that it was passed to did not run'));",
    replace: 'void hasRun;',
  },
  {
    name: 'signals-stay-with-the-receiver-when-their-call-is-answered',
    file: CHANNELS,
    find: 'if (isAnswered) (channel as Consumer).drop();\n      else (channel as Consumer).stop();',
    replace: 'if (!isAnswered) (channel as Consumer).stop();',
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
    find: 'for (const channel of [...this.#open.values()]) channel.destroy(error);',
    replace: '',
  },
];
