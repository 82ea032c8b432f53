import { test } from 'vitest';
import { KNOWN_FAILURES, surpriseOf } from '../known-failures.ts';

/** Registers a test. */
export type RegisterTest = (name: string, run: () => unknown) => void;

/**
 * Returns a function that registers the tests of a file, given its name without `.test.ts`. A test that
 * `known-failures.ts` lists has to fail as it says.
 */
export function testOrKnownOf(file: string): RegisterTest {
  const known = new Map(KNOWN_FAILURES.map((each) => [each.test, each]));
  return (name, run) => {
    const listed = known.get(`${file}: ${name}`);
    if (listed === undefined) return test(name, async () => void (await run()));
    test(name, async () => {
      const failure = await failureOf(run);
      const wrong = surpriseOf(listed, failure);
      if (wrong !== undefined) throw new Error(`${name}: ${wrong}`);
    });
  };
}

async function failureOf(run: () => unknown): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
