import type fc from 'fast-check';
import { programs } from '../programs/arbitrary.ts';
import { normalizeTarget } from '../programs/normalize.ts';
import type { Program, Step } from '../programs/program.ts';

/**
 * Returns programs whose outcome does not depend on time. They run step by step, with faults that both worlds support.
 */
export function determinedPrograms(): fc.Arbitrary<Program> {
  return programs({ longestMs: 1, mostSteps: 10, faults: ['cut', 'evict', 'crash', 'close'] }).map(determine);
}

/** Removes everything from a program that depends on time. */
function determine({ target, clients, steps, ...rest }: Program): Program {
  const { maxMessageBytes, maxSubscriptions } = target.options;
  const { next: _, ...sameTarget } = target;
  return {
    ...rest,
    target: normalizeTarget({
      ...sameTarget,
      methods: target.methods.map(({ ends: _, ...method }) => ({
        ...method,
        wait: method.wait === 'abort' ? 'timer' : method.wait,
      })),
      topics: target.topics.map(({ retain }) => ({ retain })),
      options: { maxMessageBytes, maxSubscriptions },
    }),
    clients: clients.map(({ expiresMs: _, ...client }) => client),
    steps: steps.flatMap(determineStep),
  };
}

function determineStep(step: Step): Step[] {
  if (step.kind === 'authenticate' || step.kind === 'become' || step.kind === 'break') return [];
  if (step.kind === 'fault') {
    const { fault } = step;
    return [fault.kind === 'cut' ? { ...step, fault: { kind: 'cut', client: fault.client } } : step];
  }
  if (step.kind !== 'calls') return [step];
  return [{ ...step, calls: step.calls.map(({ limit: _, pauseMs: __, ...call }) => call) }];
}
