/** Has a signal end the process by way of `exit`, so that what a run has made is removed; servers end by themselves with it. */
export function exitOnSignals(): void {
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
}

/** Returns what `choose` does; what it throws is told with how the command is used, and ends the process with 2. */
export function chosenOr<Choice>(usage: string, choose: () => Choice): Choice {
  try {
    return choose();
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}
