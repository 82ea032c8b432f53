import { parse, stringify } from '@lumenize/structured-clone';
import type { Caller } from '../session/incoming/call-context.ts';

/**
 * The property of `request.cf` under which the Worker tells the object who the caller is. Unlike a header it cannot
 * come from outside: `cf` is made by the runtime, and a client has no way to write to it.
 */
const CF_KEY = 'lumenizeIdentity';

/** Returns the request with the caller's identity on it. */
export function withIdentity(request: Request, identity: unknown): Request {
  return new Request(request, { cf: { ...(request.cf as object), [CF_KEY]: stringify(identity) } as never });
}

/** Makes the caller of a new connection. */
export function callerOf(request: Request): Caller {
  const identity = (request.cf as Record<string, unknown> | undefined)?.[CF_KEY];
  return {
    identity: typeof identity === 'string' ? parse(identity) : undefined,
    connectionId: crypto.randomUUID(),
  };
}

/** What a hibernating socket carries, so that its session can be made again after the object has left memory. */
interface Attachment {
  lumenizeRpc: 1;
  caller: string;
}

export function attach(socket: WebSocket, caller: Caller): void {
  socket.serializeAttachment({ lumenizeRpc: 1, caller: stringify(caller) } satisfies Attachment);
}

/** Returns the caller of a socket that `attach` was called with; undefined for sockets that are not the library's. */
export function attachedCaller(socket: WebSocket): Caller | undefined {
  const attachment = socket.deserializeAttachment() as Attachment | null;
  return attachment?.lumenizeRpc === 1 ? (parse(attachment.caller) as Caller) : undefined;
}
