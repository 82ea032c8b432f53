/** Runs `task` `count` times, at most `atOnce` at a time. Rejects with the first error. */
export async function inTurn(count: number, atOnce: number, task: (place: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}
