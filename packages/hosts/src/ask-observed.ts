/**
 * Asks a Worker that answers requests for measurements, such as `evict`: see `ObservedWorker`. Returns its answer.
 * @throws {Error} if the Worker cannot do it
 */
export async function askObserved(url: string, what: 'collect' | 'evict' | 'lives' | 'version'): Promise<string> {
  const response = await fetch(`${url}/observed/${what}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`${what}: ${response.status} ${text}`);
  return text;
}
