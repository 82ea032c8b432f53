import { isMarked, type Reading, read } from '@lumenize/structured-clone/messages';
import { malformed, RpcError, type RpcErrorCode, refusal } from '../errors.ts';
import type { Call } from './call.ts';
import type { Peer } from './peer.ts';
import { Place, stubOf } from './stub.ts';

/** The wrapper of a value that holds marks. */
export interface Marked {
  readonly $: unknown;
  readonly of?: unknown;
  readonly at?: unknown;
}

/** Reads one value of the other side. */
export class Reader implements Reading {
  declare readonly peer: Peer;
  declare readonly revive: (name: string, parts: unknown[]) => unknown;
  declare readonly tail: Uint8Array | undefined;
  declare readonly limits: Reading['limits'];
  declare readonly types: Reading['types'];
  declare readonly refuse: Reading['refuse'];
  declare at: number;
  /** True if the value holds something of the connection. */
  declare isBound: boolean;
  /** The results that the value refers to. */
  declare private results: readonly unknown[];
  /** The call that the value answers, and the whole of the form. */
  declare private call: Call | undefined;
  declare private whole: object | undefined;

  /** The value that `yours` with 0 stands for. */
  declare readonly target: unknown;

  constructor(
    peer: Peer,
    { tail, target }: { readonly tail?: Uint8Array | undefined; readonly target?: unknown },
    results: readonly unknown[] = [],
  ) {
    const { valueLimits, types, refuse } = peer.settings;
    this.peer = peer;
    this.revive = (name, parts) => this.make(name, parts);
    this.tail = tail;
    this.target = target;
    this.limits = valueLimits;
    this.types = types;
    this.refuse = refuse;
    this.results = results;
    this.call = this.whole = undefined;
    this.at = 0;
    this.isBound = false;
  }

  /** The value of what a frame holds, whether it is marked or not. */
  value(given: unknown): unknown {
    return isMarked(given) ? this.read(given) : given;
  }

  read({ $, at = 0 }: Marked, call?: Call): unknown {
    this.at = at as number;
    this.call = call;
    this.whole = $ as object;
    return read($, this);
  }

  private make(name: string, parts: unknown[]): unknown {
    const { peer } = this;
    // A mark that is all of an answer.
    const call = this.call !== undefined && Object.values(this.whole!)[0] === parts ? this.call : undefined;
    switch (name) {
      case 'value':
        return parts[0];
      case 'result':
        if (Object.hasOwn(this.results, parts[0] as number)) return this.results[parts[0] as number];
        break;
      case 'rpcError': {
        const [code, message, data, cause] = parts;
        return new RpcError(String(code) as RpcErrorCode, String(message), {
          data,
          ...(cause !== undefined && { cause }),
        });
      }
      case 'place':
        if (call !== undefined)
          return stubOf(peer, new Place(call.frame!.operations(call.id)!, peer.life), parts[0] === 1);
        break;
      case 'yours':
        this.isBound = true;
        return parts[0] === 0 ? this.target : referenced(peer, parts[0]);
      default:
        this.isBound = true;
        for (const { revive } of peer.settings.features) {
          if (revive !== undefined && Object.hasOwn(revive, name)) return revive[name](peer, parts, call);
        }
    }
    throw malformed(`$${name}`);
  }
}

/** The value of this side with an id of the other's choice. */
export function referenced({ references }: Peer, id: unknown): unknown {
  if (references === undefined) throw refusal('REFERENCE_LOST', 'this reference is no longer there: get a new one');
  return references.find(id);
}
