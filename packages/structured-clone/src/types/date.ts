import { malformed } from '../clone-error.ts';
import type { Sink, Source } from './type-handler.ts';

export function writeDate(date: Date, sink: Sink): void {
  sink.value(date.getTime());
}

/** Reads milliseconds since 1970; NaN is an invalid date and stays one. */
export function readDate(source: Source): Date {
  const reserved = source.reserve();
  const time = source.value();
  if (typeof time !== 'number') throw malformed('date');
  return source.define(reserved, new Date(time));
}
