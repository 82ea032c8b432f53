import type { ClientMessage } from './plan.ts';

const PROGRESS_EVERY_MS = 500;

/**
 * Makes this process that of one launch: it is sent one plan, works it out with `launch` and answers with the report, or
 * with why there is none. `launch` may tell as often as it likes how many blocks are done.
 */
export function answerPlan<Plan, Report>(
  launch: (plan: Plan, onProgress: (blocks: number) => void) => Promise<Report>,
): void {
  let told = performance.now();
  const onProgress = (blocks: number) => {
    if (performance.now() - told < PROGRESS_EVERY_MS) return;
    told = performance.now();
    void tell({ type: 'progress', blocks });
  };
  process.once('message', async (plan: Plan) => {
    await tell(await launch(plan, onProgress).then(reported, failed));
    process.disconnect();
  });
  // The process that asked for the work has gone: nobody is left to hear of it.
  process.once('disconnect', () => process.exit());
}

function reported<Report>(report: Report): ClientMessage<Report> {
  return { type: 'report', report };
}

function failed(error: unknown): ClientMessage<never> {
  return { type: 'failure', message: error instanceof Error ? error.stack! : String(error) };
}

/** Resolves when the message is on its way: a report is long, and leaving earlier would cut it off. */
function tell(message: ClientMessage<unknown>): Promise<void> {
  return new Promise((resolve) => process.send!(message, () => resolve()));
}
