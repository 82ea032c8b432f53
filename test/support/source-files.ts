import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { projectFolder } from './serve-counter.ts';

/** One import of a source file, also of types only, and also where it passes on what it imports. */
export interface Import {
  /** As it is written. */
  readonly specifier: string;
  /** The file that a relative specifier means, as a path from the folder that was read; undefined for packages. */
  readonly file: string | undefined;
  readonly line: number;
  /** True if only types are imported, so that no code runs in another order for it. */
  readonly isType: boolean;
}

/** A TypeScript file and what it imports. */
export interface SourceFile {
  /** From the folder that was read, with slashes on every system. */
  readonly path: string;
  readonly imports: readonly Import[];
}

// Statements as this repository's formatter writes them; the second form is that of `import('…')`, for values and types.
const STATEMENT = /^(?:import|export)\s(?:[^;'"=()]*?\sfrom\s)?'([^']+)'/gm;
const EXPRESSION = /\bimport\(\s*'([^']+)'/g;

/** What is installed, or made of sources. */
const NOT_SOURCES = /(?:^|[\\/])(?:node_modules|dist)[\\/]/;

/** Reads all TypeScript files below a folder of the project. */
export function readSources(folder: string): SourceFile[] {
  const root = join(projectFolder, folder);
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !NOT_SOURCES.test(path))
    .map((path) => ({
      path: path.replaceAll(sep, '/'),
      imports: importsIn(readFileSync(join(root, path), 'utf8')).map(({ specifier, ...rest }) => ({
        specifier,
        ...rest,
        file: specifier.startsWith('.')
          ? relative(root, resolve(root, dirname(path), specifier)).replaceAll(sep, '/')
          : undefined,
      })),
    }));
}

/** Finds the specifiers of all imports in a source text. */
export function importsIn(text: string): Omit<Import, 'file'>[] {
  return [STATEMENT, EXPRESSION]
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(({ 0: statement, 1: specifier, index }) => ({
      specifier,
      isType: /^(import|export) type /.test(statement),
      // Where the specifier stands: a statement may be longer than a line.
      line: text.slice(0, index + statement.length).split('\n').length,
    }));
}
