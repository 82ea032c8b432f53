import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const ROOT: string = fileURLToPath(new URL('../../../../', import.meta.url));

/** A defect to plant in a source. `find` must occur exactly once in the file. */
export interface Patch {
  /** A path from the repository's folder. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** One of the two copies of the library: that of clients, or that of objects. They share no state, as in reality. */
export type Side = 'client' | 'object';

const texts = new Map<string, string>();
const stripped = new Map<string, string>();

/**
 * Returns a source in the form in which a simulated world runs it: without types, with its planted defects, and with
 * the globals of its side instead of the machine's. Its module state can be reset between worlds. Line numbers stay the
 * same.
 */
export function simulatedSource(url: URL, side: Side, patches: readonly Patch[], globals: ReadonlySet<string>): string {
  const path = fileURLToPath(url.href.split('?')[0]);
  const file = relative(ROOT, path).replaceAll('\\', '/');
  const own = patches.filter((patch) => patch.file === file);
  let script = own.length === 0 ? stripped.get(path) : undefined;
  if (script === undefined) {
    script = stripTypeScriptTypes(own.reduce(plant, textOf(path)));
    if (own.length === 0) stripped.set(path, script);
  }
  const used = namesIn(script, globals);
  const resets = resetsOf(script, file);
  if (resets !== '') used.push('onReset');
  const prelude = used.length === 0 ? '' : `import { ${used.join(', ')} } from 'simulation:${side}'; `;
  return `${prelude}${script}${resets}`;
}

/**
 * Checks that a patch fits its file.
 * @throws {Error} if `find` does not occur exactly once
 */
export function requireFits(patch: Patch): void {
  plant(textOf(`${ROOT}${patch.file}`), patch);
}

function plant(text: string, { file, find, replace }: Patch): string {
  const parts = text.split(find);
  if (parts.length !== 2)
    throw new Error(`${file}: what is to be replaced is there ${parts.length - 1} times: ${find}`);
  return parts.join(replace);
}

function textOf(path: string): string {
  let text = texts.get(path);
  if (text === undefined) {
    text = readFileSync(path, 'utf8');
    texts.set(path, text);
  }
  return text;
}

/** Returns the globals that a script uses and does not define itself. */
function namesIn(script: string, globals: ReadonlySet<string>): string[] {
  const words = new Set(script.match(/\b[A-Za-z]\w+\b/g));
  return [...globals].filter(
    (name) =>
      words.has(name) &&
      !new RegExp(`^(?:export )?(?:class|function|const|let) ${name}\\b|^import [^;]*\\b${name}\\b`, 'm').test(script),
  );
}

/** Returns code that resets the variables of a module. */
function resetsOf(script: string, file: string): string {
  if (!file.startsWith('packages/')) return '';
  const resets = [...script.matchAll(/^let (\w+)\s*(?:=\s*(.*?))?\s*;\s*(?:\/\/.*)?$/gm)].map(
    ([, name, value]) => `onReset(() => { ${name} = ${value ?? 'undefined'}; });`,
  );
  if (file === 'packages/rpc/src/server/server-context.ts') resets.push('onReset(() => { known.length = 0; });');
  return `\n${resets.join(' ')}`.trimEnd();
}
