import { describe, inject, type TaskMeta, test } from 'vitest';
import type { Case } from './case.ts';
import { CASES, PARTS } from './cases/all.ts';
import type { CaseOutcome } from './run-case.ts';
import type { ContractResult } from './table/results.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether the table is being made: then every case is run, and none that fails is a failure. */
    contractTable: boolean;
  }
  interface TaskMeta {
    /** What became of the case, as the table finds it in the report. */
    contract?: ContractResult;
  }
}

/** A case takes at most as long as its runner lets it, and its connection some time more. */
const TIMEOUT_MS = 40_000;

/** Registers a test for every case. `run` never rejects. */
export function registerCases(
  { transport, environment }: { transport: string; environment: string },
  run: (which: Case) => Promise<CaseOutcome>,
): void {
  const forTable = inject('contractTable');
  describe(`over ${transport}`, { timeout: TIMEOUT_MS }, () => {
    for (const part of PARTS) {
      describe(part, () => {
        for (const which of CASES.filter((each) => each.part === part)) {
          test(which.name, async ({ task, skip }) => {
            const outcome = await run(which);
            if (forTable) {
              (task.meta as TaskMeta).contract = { transport, environment, part, case: which.name, ...outcome };
              return;
            }
            if (outcome.status === 'does not apply') skip(outcome.reason);
            if (outcome.status === 'fails') throw new CaseError(outcome.reason!);
          });
        }
      });
    }
  });
}

/** Shows where in the case it was that it failed. */
class CaseError extends Error {
  override readonly name = 'CaseError';

  constructor(stack: string) {
    super(stack.split('\n    at ')[0]);
    this.stack = stack;
  }
}
