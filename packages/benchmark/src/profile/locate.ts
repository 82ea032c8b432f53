import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import type { CallFrame } from './cpu-profile.ts';

/** A function where it was written. */
export interface SourceFunction {
  readonly name: string;
  /** The source's path from the repository or `node_modules` on, `node:…` for Node's own, empty for native code. */
  readonly file: string;
  /** Counted from 1; 0 for native code. */
  readonly line: number;
}

/** Finds where a function of a bundle was written. */
export type Locate = (frame: CallFrame) => SourceFunction;

/** The engine's own and the platform's: what they do, they do for whoever called them. */
const PLATFORM = /^(node|node-internal|cloudflare|cloudflare-internal|workerd|wasm):/;

/** Reads the source map beside `bundle` and returns what finds functions through it. */
export function locateIn(bundle: string): Locate {
  const map = new SourceMap(JSON.parse(readFileSync(`${bundle}.map`, 'utf8')));
  return ({ functionName, url, lineNumber, columnNumber }) => {
    const name = functionName || '(anonymous)';
    if (url === '') return { name, file: '', line: 0 };
    if (PLATFORM.test(url)) return { name, file: url, line: lineNumber + 1 };
    const entry = map.findEntry(lineNumber, columnNumber);
    if (!('originalSource' in entry)) return { name, file: url, line: lineNumber + 1 };
    return { name, file: pathInProject(entry.originalSource), line: entry.originalLine + 1 };
  };
}

/** Tells whether a function's time is its caller's: native code, and the platform's own. */
export function isPlatform({ file }: SourceFunction): boolean {
  return file === '' || PLATFORM.test(file);
}

function pathInProject(source: string): string {
  const [, path] = /.*\/((?:node_modules|packages|examples)\/.*)$/.exec(source) ?? [];
  return path ?? source;
}
