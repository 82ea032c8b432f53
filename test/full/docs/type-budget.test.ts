import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage, COMPILERS, compile, ENVIRONMENT_NAMES } from '../../support/compile.ts';
import { projectFolder } from '../../support/serve-counter.ts';

/**
 * How many types a program may take: about one and a half times what it took when this was written, under either
 * compiler.
 */
const BUDGETS: Readonly<Record<string, number>> = {
  'counter.ts': 3_500,
  'collections.ts': 14_000,
  'callbacks.ts': 6_000,
  'recursive.ts': 8_000,
  'mistakes.ts': 6_000,
  'registered.ts': 2_500,
  'declarations.ts': 6_000,
  'hundred-methods.ts': 180_000,
};

const TIMEOUT = { timeout: 120_000 };

const programs: Record<string, string> = { 'hundred-methods.ts': hundredMethods() };
for (const path of globSync(join(projectFolder, 'test/types/programs/*.ts'))) {
  programs[basename(path)] = readFileSync(path, 'utf8');
}
const compilers = Object.keys(COMPILERS) as (keyof typeof COMPILERS)[];

beforeAll(buildPackage, TIMEOUT.timeout);

describe.each(compilers)('under TypeScript %s', (compiler) => {
  test.each(ENVIRONMENT_NAMES)('what users write in a %s has no type errors', TIMEOUT, async (environment) => {
    expect((await compile(programs, environment, compiler)).errors).toEqual([]);
  });

  test.each(Object.keys(BUDGETS))('%s takes no more types than its budget', TIMEOUT, async (name) => {
    const { errors, instantiations } = await compile({ [name]: programs[name] }, 'worker', compiler);
    expect(errors).toEqual([]);
    expect(instantiations).toBeLessThan(BUDGETS[name]);
    // A budget that is far off finds nothing.
    expect(instantiations).toBeGreaterThan(BUDGETS[name] / 4);
  });
});

test('every program has a budget', () => {
  expect(Object.keys(BUDGETS).sort()).toEqual(Object.keys(programs).sort());
});

test('an error in a program is found', TIMEOUT, async () => {
  const wrong = "import { connect } from '@lumenize/rpc';\nconnect<{ add(by: number): void }>('ws://x').add('1');\n";
  expect((await compile({ 'wrong.ts': wrong }, 'worker', '7')).errors).toEqual([expect.stringContaining('TS2345')]);
});

/** A large API: a hundred methods of different types, all of them called. */
function hundredMethods(): string {
  const numbers = Array.from({ length: 100 }, (_, index) => index);
  return `import { connect, type TargetMark } from '@lumenize/rpc';
${numbers
  .map((n) => `interface Data${n} { id: number; name${n}: string; inner: { list: Data${(n + 1) % 100}[]; at: Date } }`)
  .join('\n')}
interface Target extends TargetMark { ${numbers.map((n) => `get${n}(): Data${n};`).join(' ')} }
interface Api {
  target(): Target;
${numbers
  .map(
    (n) =>
      `  method${n}(data: Data${n}, by: number, listener?: (data: Data${n}) => void): Promise<Data${n} | undefined>;`,
  )
  .join('\n')}
}
export async function useAll(): Promise<number> {
  using api = connect<Api>('ws://localhost/rpc/api/main');
  let total = 0;
${numbers
  .map((n) => `  total += (await api.method${n}(api.target().get${n}(), 1, ({ id }) => id))?.inner.list.length ?? 0;`)
  .join('\n')}
  return total;
}
`;
}
