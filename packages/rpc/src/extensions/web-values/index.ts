import { type Bodies, readBodies } from '@lumenize/structured-clone';
import { web } from '@lumenize/structured-clone/messages';
import { RpcError } from '../../errors/rpc-error.ts';
import { needsBodies } from '../../protocol/errors.ts';
import type { Extension } from '../../session/extension.ts';
import type { Call } from '../../session/outgoing/call.ts';
import type { Node } from '../../session/outgoing/node.ts';
import { explainUnsendable, IN_ARGUMENTS, type WaitingCalls } from '../../session/outgoing/waiting-calls.ts';

/**
 * Carries values of the web platform, such as URLs, requests and Blobs, and rare values of the language, such as
 * RegExps and sparse arrays.
 */
export const webValues: Extension = { name: 'webValues', types: web, readBodies, readAhead };

const HIDDEN_BODY = 'a result with a Blob, a Request or the like cannot be passed on: await it, and pass its value';

function readAhead(waiting: WaitingCalls, error: unknown, call: Call, node: Node, args?: unknown[]): boolean {
  if (!needsBodies(error) || waiting.bodies.size > 0) return false;
  void makeWhenRead(waiting, call, node, args);
  return true;
}

/** Makes a call after the bodies in its arguments have been read, and then the calls that were made after it. */
async function makeWhenRead(waiting: WaitingCalls, call: Call, node: Node, args?: unknown[]): Promise<void> {
  const { name } = node;
  waiting.queue = [waiting.later(call, node, args)];
  waiting.reading = call;
  // A body may never end. If the call is given up meanwhile, the others need not wait for it.
  const settled = new Promise<Bodies>((resolve) => call.onSettled(() => resolve(new Map())));
  try {
    const found = await Promise.race([readBodies(args), settled]);
    // Without this, the call would be tried again forever.
    if (found.size === 0) throw new RpcError('NOT_CLONEABLE', `${name}(): ${HIDDEN_BODY}`);
    for (const [holder, bytes] of found) waiting.bodies.set(holder, bytes);
  } catch (error) {
    call.fail(explainUnsendable(error, name, IN_ARGUMENTS));
  }
  const { queue } = waiting;
  waiting.queue = waiting.reading = undefined;
  for (const [place, next] of queue.entries()) {
    next();
    // The bytes were for the call that has now been written.
    waiting.bodies.clear();
    if (waiting.queue !== undefined) {
      // This call waits for bytes itself. The calls behind it are not made, and captured, again for each such call.
      waiting.queue = [...waiting.queue, ...queue.slice(place + 1)];
      return;
    }
  }
}
