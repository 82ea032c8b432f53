/** Makes `n` calls without a pause between them and resolves with their results, in order. */
export function callEach(n: number, call: () => PromiseLike<number>): Promise<number[]> {
  const calls: PromiseLike<number>[] = [];
  for (let i = 0; i < n; i++) calls.push(call());
  return Promise.all(calls);
}
