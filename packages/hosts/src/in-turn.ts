/** Does something `count` times, at most `atOnce` of them at a time; rejects with the first that fails. */
export async function inTurn(count: number, atOnce: number, task: (place: number) => Promise<void>): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}
