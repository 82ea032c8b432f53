/** Lets jobs run until something holds; what never does fails the test by its own time. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
