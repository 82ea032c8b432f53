/** Lets jobs run until something holds; what never does fails the test by its own time. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await turns(1);
}

/** Lets the event loop go round a number of times. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
