import { ABORT_SIGNAL, ITERABLE, PROMISE, READABLE, WRITABLE } from '../../protocol/extension.ts';

/** The kind of extension that stands for a value which travels over a channel; undefined for others. */
export function channelKind(value: object): number | undefined {
  if (value instanceof ReadableStream) return READABLE;
  if (value instanceof WritableStream) return WRITABLE;
  if (value instanceof Promise) return PROMISE;
  if (value instanceof AbortSignal) return ABORT_SIGNAL;
  return Symbol.asyncIterator in value ? ITERABLE : undefined;
}
