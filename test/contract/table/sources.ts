import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The test files that run the cases over something, as paths from the project's folder. */
export function contractFiles(projectFolder: string): string[] {
  return globSync(['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'], { cwd: projectFolder })
    .filter((path) => /from '[^']*\/(contract|register)\.ts'/.test(readFileSync(join(projectFolder, path), 'utf8')))
    .sort();
}

/** The names of transports that those files run the cases over, as they are written there. */
export function transportsInSources(projectFolder: string): Set<string> {
  const names = contractFiles(projectFolder).flatMap((path) =>
    [...readFileSync(join(projectFolder, path), 'utf8').matchAll(/\b(?:contract\(\s*|transport: )(['"`])(.+?)\1/g)].map(
      ([, , name]) => name,
    ),
  );
  return new Set(names);
}
