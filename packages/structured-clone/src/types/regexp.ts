import { malformed } from '../clone-error.ts';
import type { Sink, Source } from './type-handler.ts';

export function writeRegExp(regexp: RegExp, sink: Sink): void {
  sink.value(regexp.source);
  sink.value(regexp.flags);
  sink.value(regexp.lastIndex);
}

export function readRegExp(source: Source): RegExp {
  const reserved = source.reserve();
  const pattern = source.string();
  const flags = source.string();
  let regexp: RegExp;
  try {
    regexp = new RegExp(pattern, flags);
  } catch {
    throw malformed('pattern');
  }
  regexp.lastIndex = source.integer(Number.MAX_SAFE_INTEGER);
  return source.define(reserved, regexp);
}
