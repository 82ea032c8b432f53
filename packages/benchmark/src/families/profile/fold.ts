import { readFileSync } from 'node:fs';
import type { Profiler, Runtime } from 'node:inspector';
import { SourceMap } from 'node:module';

/**
 * The interval between samples of the profilers on both sides. Samples come later than that, because the system's
 * timers are not exact. A sample walks the stack and wakes a waiting thread: with one every 150 µs, calls take several
 * times as long.
 */
export const INTERVAL_US = 500;

/** A function at its place in the sources. */
type SourceFunction = ReturnType<Locate>;

/**
 * The samples of a function that works for a place: those with it on top of the stack (`self`), and those with it
 * anywhere on the stack (`total`).
 */
export interface FunctionSamples {
  readonly name: string;
  readonly place: string;
  readonly self: number;
  readonly total: number;
}

/** Finds a function of a bundle in the sources. The engine counts lines and columns from 0. */
export type Locate = ReturnType<typeof locateIn>;

/** Matches native code, the engine and the platform. Their samples count for the function that called them. */
const PLATFORM = /^$|^(node|node-internal|cloudflare|cloudflare-internal|workerd|wasm):/;

/** Reads the source map beside `bundle`, and returns a function that finds functions through it. */
export function locateIn(bundle: string) {
  const map = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')));
  return ({ functionName, url, lineNumber, columnNumber }: Runtime.CallFrame) => {
    const entry = map.findEntry(lineNumber, columnNumber);
    const written = !PLATFORM.test(url) && 'originalSource' in entry ? entry : undefined;
    return {
      name: functionName || '(anonymous)',
      /**
       * The path of the source from the repository or `node_modules`, `node:…` for Node's own, and empty for native
       * code.
       */
      file: written?.originalSource.replace(/^.*\/(?=(?:node_modules|packages|examples)\/)/, '') ?? url,
      /** The line, counted from 1; 0 for native code. */
      line: url === '' ? 0 : (written?.originalLine ?? lineNumber) + 1,
    };
  };
}

/**
 * Folds a profile by functions. Those with the most samples of their own come first. A function that works for two
 * places is listed twice. Together, the samples of their own are all samples that are not idle. `sample` is the weight
 * of each.
 */
export function fold({ nodes, samples = [] }: Profiler.Profile, locate: Locate, sample = 1): FunctionSamples[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callers = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)));
  const functions = new Map<string, FunctionSamples>();
  for (const [leaf, found] of Map.groupBy(samples, (id) => id)) {
    const weight = found.length * sample;
    const stack: SourceFunction[] = [];
    for (let node = byId.get(leaf); node && callers.has(node.id); node = callers.get(node.id)) {
      stack.push(locate(node.callFrame));
    }
    if (stack.length === 0 || stack[0].name === '(idle)') continue;
    const written = stack.map(({ name, file, line }, depth) => {
      return { name: file === '' ? name : `${name} ${file}:${line}`, place: placeOf(stack.slice(depth)) };
    });
    const keys = written.map(({ name, place }) => `${place} ${name}`);
    for (const [depth, key] of keys.entries()) {
      // Counted once, even if the function calls itself.
      if (keys.indexOf(key) < depth) continue;
      const { self, total } = functions.get(key) ?? { self: 0, total: 0 };
      functions.set(key, { ...written[depth], self: self + (depth === 0 ? weight : 0), total: total + weight });
    }
  }
  return [...functions.values()].filter(({ self }) => self > 0).sort((a, b) => b.self - a.self);
}

/**
 * Returns the place of the sources that the innermost function of a stack works for: up to two folders of a package, or
 * one folder and a file. If no code of a package is on the stack, it is the platform's file where the stack began.
 */
function placeOf(stack: readonly SourceFunction[]): string {
  if (stack[0].name === '(garbage collector)') return 'garbage';
  const owner = stack.find(({ file }) => !PLATFORM.test(file)) ?? stack.findLast(({ file }) => file !== '');
  const path = owner?.file.replace(/^(?:node_modules|packages|examples)\/|\bsrc\/|\.\w+$/g, '') ?? 'native';
  return path.split('/').slice(0, 3).join('/');
}
