import { type Bodies, type Limits, type Types, type Writing, write } from '@lumenize/structured-clone/messages';
import { RpcError, refusal } from '../errors.ts';
import { json } from '../protocol.ts';
import { type Asked, nameOfAsked } from './asked.ts';
import { Call, type Frame, REJECTED, RESOLVED, STEP } from './call.ts';
import { isTarget } from './members.ts';
import type { Mark } from './options.ts';
import type { Peer } from './peer.ts';
import { type Node, nameOf, nodeOf, Place } from './stub.ts';

/** How often a value is written again because something in it has to settle. */
const MAX_TIMES = 100;

/** Chunks of streams, and the names of the methods that the streams belong to, for messages. */
export const ITEMS_OF = new WeakMap<object, string>();

/** Writes one value for the other side, and notes what ties it to the connection. */
export class Writer implements Writing {
  declare readonly peer: Peer;
  declare readonly refer: (value: object) => Mark | undefined;
  declare readonly limits: Readonly<Limits>;
  declare readonly types: Types;
  declare tail: Uint8Array[];
  declare readonly stacks: boolean;
  declare bodies: Bodies | undefined;
  /** The addresses of results that the value refers to. */
  declare of: unknown[] | undefined;
  /** The frame in which these results are. */
  declare frame: Frame | undefined;
  /** True if the value waits for all results that it refers to, because it does not fit into their frame. */
  declare isApart: boolean;
  /** True if the value uses something of the connection. */
  declare isBound: boolean;
  /** True while a callback of `map` is recorded. What it throws goes to the code that calls `map`. */
  declare isRecording: boolean;
  /** The callback that was recorded: functions that it captures are none. */
  declare recorded: object | undefined;
  /** Called if the value is sent, for references that the other side then holds. */
  declare sent: Map<object, () => void> | undefined;
  /** How often it was written before, and something in it had to settle. */
  declare private times: number;
  /** The promises that have to settle before the value can be written. */
  declare waits: Promise<unknown>[] | undefined;
  /** The outcomes of promises that have settled. */
  declare private settled: Map<object, unknown> | undefined;

  /** The call whose arguments are written; undefined for other values. */
  declare readonly node: Node | undefined;
  /** The call whose result is written; undefined for other values. */
  declare readonly call: Asked | undefined;

  constructor(peer: Peer, node?: Node, call?: Asked) {
    const { settings } = peer;
    this.peer = peer;
    this.refer = (value) => this.mark(value);
    this.node = node;
    this.call = call;
    this.limits = settings.valueLimits;
    this.types = settings.types;
    this.stacks = settings.stacks;
    this.isRecording = false;
    // Addresses are for calls of the same frame: an answer waits for what it holds.
    this.isApart = call !== undefined;
    this.recorded = this.bodies = this.settled = undefined;
    this.times = 0;
    this.begin();
  }

  private begin(): void {
    this.tail = [];
    this.isBound = false;
    this.of = this.frame = this.sent = this.waits = undefined;
  }

  /** The method that the value belongs to, for messages. */
  get name(): string {
    return this.node ? nameOf(this.node) : this.call ? nameOfAsked(this.call) : '';
  }

  /** Returns the text of a value, with all that the other side needs to read it but where its bytes begin. */
  write(value: unknown): string {
    if (this.times++ > 0) this.begin();
    const text = write(value, this);
    return this.of === undefined ? text : `${text.slice(0, -1)},"of":${json(this.of)}}`;
  }

  /** Resolves when everything has settled that the value waits for. */
  async ready(): Promise<void> {
    await Promise.all(this.waits!);
  }

  private mark(value: object): Mark | undefined {
    const node = nodeOf(value);
    if (node !== undefined) {
      const { base, path, peer } = node;
      const isHere = peer === this.peer;
      if (path !== '' || base instanceof Call || (isHere && base instanceof Place)) return this.result(value);
      const captured = isHere ? undefined : this.peer.captured?.(value);
      if (captured !== undefined) return this.at(captured);
    }
    for (const { pass } of this.peer.settings.features) {
      const mark = pass?.(value, this);
      if (mark !== undefined) return mark;
    }
    if (value instanceof RpcError) {
      const { code, message, data, cause } = value;
      const details = cause === undefined ? (data === undefined ? [] : [data]) : [data, cause];
      // Anything may have been assigned to a message.
      return { name: 'rpcError', parts: [code, typeof message === 'string' ? message : '', ...details] };
    }
    return isPromise(value) ? this.awaited(value) : undefined;
  }

  /** Passes the result of a call: by its address if it stays on the other side, otherwise as it has arrived. */
  private result(stub: object): Mark {
    const node = nodeOf(stub)!;
    const { peer, settled } = this;
    if (settled?.has(stub)) return { name: 'value', parts: [settled.get(stub)] };
    node.peer.used?.(node);
    if (node.peer !== peer) {
      const captured = peer.captured?.(stub);
      if (captured === undefined)
        throw refusal('NOT_CLONEABLE', 'a result of another connection cannot be passed: await it first');
      return this.at(captured);
    }
    let call = node.base instanceof Call && node.path === '' ? node.base : peer.op(node, undefined);
    if (call.state === STEP && (this.isApart || call.frame !== peer.writing)) call = peer.fetch(call);
    const address = this.isApart ? undefined : peer.addressOf(call);
    if (address !== undefined) {
      call.isUsed = true;
      this.frame ??= call.frame;
      return this.at(address);
    }
    if (call.state === RESOLVED) return { name: 'value', parts: [call.value] };
    if (call.state === REJECTED) throw call.value;
    return this.awaited(call.promise(), stub);
  }

  /** Passes what an address stands for. */
  at(address: unknown): Mark {
    this.of ??= [];
    return { name: 'result', parts: [this.of.push(address) - 1] };
  }

  /** Passes what a promise settles with. */
  private awaited(promise: PromiseLike<unknown>, key: object = promise): Mark {
    if (this.settled?.has(key)) return { name: 'value', parts: [this.settled.get(key)] };
    this.settled ??= new Map();
    const { settled } = this;
    this.wait(Promise.resolve(promise).then((value) => settled.set(key, value)));
    return { name: 'value', parts: [0] };
  }

  /** Makes the value wait: it is written again when everything has settled. */
  wait(promise: Promise<unknown>): void {
    if (this.times > MAX_TIMES) throw refusal('NOT_CLONEABLE', 'a value has other contents each time that it is read');
    promise.catch(() => {}); // who waits for all of them gets the error
    this.waits ??= [];
    this.waits.push(promise);
  }
}

/** Returns true for a promise, or anything else that waits: not for data that has a member of that name. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  if (value instanceof Promise) return true;
  if (isTarget(value)) return false; // a method of that name is not remote
  if (typeof (value as { then?: unknown }).then !== 'function' || Object.hasOwn(value, 'then')) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype !== null && Object.getPrototypeOf(prototype) !== null;
}
