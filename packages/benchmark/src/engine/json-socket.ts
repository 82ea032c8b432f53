/**
 * Connects to `url` (`ws://…`) and returns a function that sends requests, as in the DevTools protocol. An answer has
 * the number of its request, and a `result` or an `error`. Pending requests are rejected when the socket closes.
 */
export async function openJsonSocket(url: string): Promise<(request: object) => Promise<unknown>> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`no socket to ${url}`)));
  });
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data));
    if (error) waiting.get(id)?.reject(new Error(`at ${url}: ${error.message}`));
    else waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(new Error(`${url} closed its socket`));
  });
  let lastId = 0;
  return (request) => {
    const asked = Promise.withResolvers<unknown>();
    waiting.set(++lastId, asked);
    socket.send(JSON.stringify({ id: lastId, ...request }));
    return asked.promise;
  };
}
