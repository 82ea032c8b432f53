import { isMarked, read } from '@lumenize/structured-clone/messages';
import { malformed, RpcError, type RpcErrorCode } from '../errors.ts';
import type { Call } from './call.ts';
import type { Peer } from './peer.ts';
import { lost, Place, stubOf } from './stub.ts';

/** The wrapper of a value that holds marks. */
export interface Marked {
  readonly $: unknown;
  readonly of?: unknown;
  readonly at?: unknown;
}

/** What a value refers to that is not in its text. */
export interface Surroundings {
  /** The bytes of the frame. */
  readonly tail?: Uint8Array | undefined;
  /** What `yours` with 0 stands for. */
  readonly target?: unknown;
  /** The results that it refers to. */
  readonly results?: readonly unknown[];
  /** Called if it holds something of the connection. */
  readonly bound?: () => void;
  /** The call that it answers. */
  readonly call?: Call | undefined;
}

/** Reads a value of the other side, whether it is marked or not. */
export function readValue(peer: Peer, given: unknown, around: Surroundings = {}): unknown {
  if (!isMarked(given)) return given;
  const { settings } = peer;
  const { $, at = 0 } = given as Marked;
  const { tail, target, results = [] } = around;
  const revive = (name: string, parts: unknown[]): unknown => {
    const [first] = parts;
    // A mark that is all of an answer.
    const call = around.call && Object.values($ as object)[0] === parts ? around.call : undefined;
    switch (name) {
      case 'value':
        return first;
      case 'result':
        if (Object.hasOwn(results, first as number)) return results[first as number];
        break;
      case 'rpcError': {
        const [code, message, data, cause] = parts;
        return new RpcError(String(code) as RpcErrorCode, String(message), {
          data,
          ...(cause !== undefined && { cause }),
        });
      }
      case 'place':
        if (call !== undefined) {
          const operations = call.frame!.operations(call.id)!;
          const calls = JSON.parse(`[${operations}]`).filter((step: unknown) => typeof step !== 'string').length;
          return stubOf(peer, new Place(operations, peer.life, calls), first === 1);
        }
        break;
      case 'yours':
        around.bound?.();
        return first === 0 ? target : referenced(peer, first);
      default:
        around.bound?.();
        for (const { revive } of settings.features) {
          if (revive !== undefined && Object.hasOwn(revive, name)) return revive[name](peer, parts, call);
        }
    }
    throw malformed(`$${name}`);
  };
  const { valueLimits: limits, types, refuse } = settings;
  return read($, { revive, tail, limits, types, refuse, at: at as number });
}

/** The value of this side with an id of the other's choice. */
export function referenced({ references }: Peer, id: unknown): unknown {
  if (references === undefined) throw lost();
  return references.find(id);
}
