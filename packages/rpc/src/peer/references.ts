import { toMessage } from '@lumenize/structured-clone/messages';
import { isNativeStub, SENDS_AT_ANY_TIME } from '#platform';
import { exceeded, malformed, type RpcError } from '../errors.ts';
import { json } from '../protocol.ts';
import { callMember, disposeOf, isTarget, readMember } from './members.ts';
import type { Feature, Mark } from './options.ts';
import { atEndOfTurn, type Peer } from './peer.ts';
import { readValue } from './reader.ts';
import { lost, nodeOf, type Reference, stubOf } from './stub.ts';
import { Writer } from './writer.ts';

/** The life of a value of this side while the other side holds it. */
interface Held {
  /** The object that it is known by, if that is not the value itself. */
  readonly key?: object;
  /** Called when it is first sent. */
  readonly open?: ((id: number) => void) | undefined;
  /** Called when the other side has let go of it, or is gone, with the reason. */
  readonly dispose: (reason?: RpcError) => void;
}

/** A value of this side that the other side holds. */
interface Export {
  readonly value: object;
  /** How often it was sent, less what was returned. */
  count: number;
  readonly held: Held;
}

/** A value of the other side that this side holds. */
export class Import implements Reference {
  declare readonly peer: Peer;
  declare readonly id: number;
  declare epoch: number;
  declare disposed: Error | undefined;
  /** How often it was received: what to return. It is a box of its own, since it outlives the import. */
  declare readonly received: { id: number; count: number; epoch: number; isOpen: boolean };
  /** The object that stands for it on this side. */
  declare stub: object;
  /** Ends what stands for it, when the other side says so, or is gone. */
  declare end: ((reason: unknown) => void) | undefined;

  constructor(peer: Peer, id: number) {
    this.peer = peer;
    this.id = id;
    this.epoch = peer.epoch;
    this.disposed = this.end = undefined;
    this.received = { id, count: 0, epoch: peer.epoch, isOpen: false };
  }

  dispose(): void {
    if (this.disposed !== undefined) return;
    this.disposed = new Error('the stub was disposed of here');
    if (this.epoch !== this.peer.epoch) return;
    this.epoch = -1;
    this.peer.references!.release(this);
  }
}

/** All that a connection passes by reference, in both directions. */
export class References {
  declare private readonly peer: Peer;
  declare private readonly exports: Map<number, Export>;
  declare private readonly ids: WeakMap<object, number>;
  declare private readonly imports: Map<number, WeakRef<Import>>;
  declare private readonly collected: FinalizationRegistry<Import['received']>;
  declare private nextId: number;
  /** The references to return: pairs of an id and a count. */
  declare private returned: number[];
  /** The number of streams that are open: those that are passed, and those of the other side that are used. */
  declare streams: number;
  /** The signals of this turn that had been aborted before: each takes a hundred times its bytes. */
  declare aborted: number;

  constructor(peer: Peer) {
    this.peer = peer;
    this.exports = new Map();
    this.ids = new WeakMap();
    this.imports = new Map();
    this.collected = new FinalizationRegistry((received) => {
      if (received.epoch === peer.epoch) this.giveBack(received, SENDS_AT_ANY_TIME);
    });
    this.nextId = peer.firstReference;
    this.returned = [];
    this.streams = this.aborted = 0;
  }

  get counts() {
    return { exports: this.exports.size, imports: this.imports.size, channels: this.streams };
  }

  /** The value of this side with an id of the other's choice. */
  find(id: unknown): object {
    const found = this.exports.get(id as number);
    if (found === undefined) throw lost();
    return found.value;
  }

  /** Returns true if the other side holds a value of this side. */
  holds(value: object): boolean {
    return this.exports.has(this.ids.get(value)!);
  }

  /** Returns the id under which a value is passed, and counts it when it is sent. */
  pass(
    value: object,
    writer: Writer,
    held: Held = { dispose: () => this.peer.target !== value && disposeOf(value) },
  ): number {
    const { limits } = this.peer.settings;
    const { key = value } = held;
    if (this.exports.size >= limits.maxReferences && !this.holds(key)) throw exceeded('maxReferences', limits);
    const id = this.ids.get(key) ?? this.nextId++;
    // Known from now on, so that a value is passed under one id if it is passed twice, or written twice.
    this.ids.set(key, id);
    writer.isBound = true;
    writer.sent ??= new Map();
    writer.sent.set(key, () => {
      const known = this.exports.get(id);
      if (known !== undefined) known.count++;
      else {
        this.exports.set(id, { value, count: 1, held });
        held.open?.(id);
      }
    });
    return id;
  }

  /** Returns the import with an id, which it counts. `make` makes what stands for it. */
  take(id: unknown, make: (received: Import) => object): object {
    if (!Number.isSafeInteger(id) || (id as number) <= 0) throw malformed('a reference');
    let found = this.imports.get(id as number)?.deref();
    if (found === undefined) {
      const { limits } = this.peer.settings;
      if (this.imports.size >= limits.maxReferences) throw exceeded('maxReferences', limits);
      found = new Import(this.peer, id as number);
      found.stub = make(found);
      this.imports.set(id as number, new WeakRef(found));
      this.collected.register(found, found.received, found);
    }
    found.received.count++;
    return found.stub;
  }

  /** Counts a stream of the other side as open until it is let go of. */
  used({ received }: Import): void {
    if (!received.isOpen) this.streams++;
    received.isOpen = true;
  }

  /** Lets go of an import. */
  release(imported: Import): void {
    this.collected.unregister(imported);
    this.giveBack(imported.received, true);
  }

  /** Notes what is to be returned: at the end of the turn, or with the next message. */
  private giveBack(received: Import['received'], isSent: boolean): void {
    const { id, count, isOpen } = received;
    if (isOpen) this.streams--;
    received.isOpen = false;
    if (this.imports.get(id)?.deref()?.epoch !== this.peer.epoch) this.imports.delete(id);
    if (isSent) atEndOfTurn(() => this.peer.flush());
    this.returned.push(id, count);
  }

  /** Tells the other side what this side holds no longer. */
  flush(): void {
    this.aborted = 0;
    if (this.returned.length === 0) return;
    this.peer.signal(json({ release: this.returned }));
    this.returned = [];
  }

  /** Handles what the other side returns, or what it never gets, for a reason. */
  released(given: readonly number[], reason?: RpcError): void {
    for (let at = 0; at < given.length; at += 2) {
      const released = this.exports.get(given[at]);
      if (released === undefined) continue;
      released.count -= given[at + 1];
      if (!(released.count <= 0)) continue;
      this.exports.delete(given[at]);
      this.ids.delete(released.held.key ?? released.value);
      released.held.dispose(reason);
    }
  }

  /** Ends an import because the other side says so. */
  end(id: unknown, reason: unknown): void {
    this.imports
      .get(id as number)
      ?.deref()
      ?.end?.(reason);
  }

  /** Tells of signals that were aborted while the call that passes them waited for this connection. */
  opened(): void {
    for (const [id, { value }] of this.exports) {
      if (value instanceof AbortSignal && value.aborted) tellAbort(this.peer, id, value.reason);
    }
  }

  /** Ends all references, because their connection has ended. */
  lose(reason: RpcError): void {
    for (const { held } of this.exports.values()) held.dispose(reason);
    for (const imported of this.imports.values()) imported.deref()?.end?.(reason);
    this.exports.clear();
    this.imports.clear();
  }
}

/** Returns the references of a connection. */
export function referencesOf(peer: Peer): References {
  peer.references ??= new References(peer);
  return peer.references;
}

function passReference(value: object, writer: Writer): Mark | undefined {
  const { peer } = writer;
  const node = nodeOf(value);
  if (node !== undefined && node.peer === peer) {
    const { base } = node;
    if (base === undefined) return { name: 'yours', parts: [0] };
    const { id, epoch, disposed } = base as Reference;
    if (epoch !== peer.epoch) throw lost(disposed);
    writer.isBound = true;
    return { name: 'yours', parts: [id] };
  }
  const isFunction = typeof value === 'function';
  if (isFunction || isTarget(value) || node !== undefined || isNativeStub(value)) {
    return { name: isFunction ? 'function' : 'target', parts: [referencesOf(peer).pass(value, writer)] };
  }
  return value instanceof AbortSignal ? passSignal(value, writer) : undefined;
}

/** Keeps the import of a signal alive as long as the signal. */
const OF_SIGNALS = new WeakMap<AbortSignal, Import>();

function passSignal(signal: AbortSignal, writer: Writer): Mark {
  if (signal.aborted) return { name: 'signal', parts: [0, signal.reason] };
  const references = referencesOf(writer.peer);
  let stop = () => {};
  const open = (id: number) => {
    const abort = () => tellAbort(writer.peer, id, signal.reason);
    signal.addEventListener('abort', abort);
    stop = () => signal.removeEventListener('abort', abort);
  };
  return { name: 'signal', parts: [references.pass(signal, writer, { open, dispose: () => stop() })] };
}

function tellAbort(peer: Peer, id: number, reason: unknown): void {
  let writer = new Writer(peer);
  let why: string | undefined;
  try {
    why = writer.write(reason);
  } catch {
    // It is told without it.
  }
  if (why === undefined || writer.isBound || writer.of !== undefined || writer.waits !== undefined) {
    writer = new Writer(peer);
    why = writer.write(new DOMException('the signal was aborted, for a reason that cannot be sent', 'AbortError'));
  }
  peer.flush(); // the call that passes the signal goes first
  peer.signal(toMessage(`{"abort":${id},"why":${why}}`, writer.tail));
}

export function takeSignal(peer: Peer, [id, reason]: unknown[]): AbortSignal {
  const references = referencesOf(peer);
  const { limits } = peer.settings;
  if (id === 0) {
    if (++references.aborted > limits.maxReferences) throw exceeded('maxReferences', limits);
    return AbortSignal.abort(reason);
  }
  const make = (imported: Import) => {
    const controller = new AbortController();
    imported.end = (why) => controller.abort(why);
    OF_SIGNALS.set(controller.signal, imported);
    return controller.signal;
  };
  return references.take(id, make) as AbortSignal;
}

/** Targets, functions and signals by reference. */
export const references: Feature = {
  pass: passReference,
  here: (value, name, args) => [args === undefined ? readMember(value, name!) : callMember(value, name, args)],
  revive: {
    target: (peer, [id]) => referencesOf(peer).take(id, (imported) => stubOf(peer, imported)),
    function: (peer, [id]) => referencesOf(peer).take(id, (imported) => stubOf(peer, imported, true)),
    signal: takeSignal,
  },
  // Behind what waited.
  opened: (peer) => queueMicrotask(() => peer.references?.opened()),
  signals: {
    release: (peer, { release }) => {
      const isList = Array.isArray(release) && release.length % 2 === 0 && release.every((number) => number > 0);
      if (!isList) throw malformed('release');
      peer.references?.released(release);
    },
    abort: (peer, { abort, why }, tail) => peer.references?.end(abort, readValue(peer, why, { tail })),
  },
};
