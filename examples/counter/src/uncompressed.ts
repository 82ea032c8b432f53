/**
 * Has the runtime leave the frames of a socket as they are, which `routeRpc` does for Lumenize RPC: it compresses them where
 * client and Worker say nothing. Other sockets can have the same at an address of their own, so that nobody's library is
 * measured by what the platform does to it.
 */
export function uncompressed(request: Request): Request {
  const headers = new Headers(request.headers);
  // Without an offer of the client's the runtime would make one of its own.
  headers.set('Sec-WebSocket-Extensions', 'none');
  return new Request(request, { headers });
}
