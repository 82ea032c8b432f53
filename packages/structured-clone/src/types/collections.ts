import type { Sink, Source } from './type-handler.ts';

export function writeMap(map: Map<unknown, unknown>, sink: Sink): void {
  sink.value(map.size);
  for (const [key, value] of map) {
    sink.value(key);
    sink.value(value);
  }
}

export function readMap(source: Source): Map<unknown, unknown> {
  const map = source.define(source.reserve(), new Map());
  for (let left = source.count(); left > 0; left--) {
    const key = source.value();
    map.set(key, source.value());
  }
  return map;
}

export function writeSet(set: Set<unknown>, sink: Sink): void {
  sink.value(set.size);
  for (const value of set) sink.value(value);
}

export function readSet(source: Source): Set<unknown> {
  const set = source.define(source.reserve(), new Set());
  for (let left = source.count(); left > 0; left--) set.add(source.value());
  return set;
}
