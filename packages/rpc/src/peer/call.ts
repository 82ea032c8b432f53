import { json } from '../protocol.ts';

/** The state of a call. The result of a step stays on the other side, and is fetched if it is needed after all. */
export const WAITING = 0;
export const RESOLVED = 1;
export const REJECTED = 2;
export const STEP = 3;

/** Marks of what is passed by reference, and of what else belongs to the connection, or to the frame. */
const PASSED = /^\$(target|function|signal|(bytes-)?stream|iterable|sink)$/;
const BOUND = /^\$(yours|callback|result|bytes)$/;

/** A frame of calls, from the first call that is written into it until all of them have settled. */
export class Frame {
  /** The id of its first call. */
  declare readonly firstId: number;
  /** The text so far; all of it once the frame is finished. */
  declare text: string;
  /** The bytes of its values, which travel behind the text; undefined if there are none. */
  declare tail: Uint8Array[] | undefined;
  /** True if it uses anything of its connection, so that it can never be sent over another one. */
  declare isBound: boolean;
  /** How often it was sent; -1 if it was, and the other side has told that it did not run. */
  declare sent: number;
  /** When it was finished, and then when it was first sent, in milliseconds since 1970. */
  declare at: number;

  // Field initializers would cost one more function for every frame.
  constructor(firstId: number, text: string) {
    this.firstId = firstId;
    this.text = text;
    this.tail = undefined;
    this.isBound = false;
    this.sent = this.at = 0;
  }

  /** Takes out calls that have settled before the frame was sent. Returns what they pass by reference. */
  leave(open: { has(id: number): boolean }): number[] {
    const [frame, first] = this.find(this.firstId);
    const passed = frame.flatMap((entry, at) => {
      if (at < first || entry === 0 || open.has(this.firstId + at - first)) return [];
      frame[at] = 0;
      return passedIn(entry as unknown[]);
    });
    this.text = json(frame);
    return passed;
  }

  /**
   * Returns the operations of a call, without options, as they stand in an entry. Undefined if they use something of their
   * connection, or other calls.
   */
  operations(id: number): string | undefined {
    const [frame, place] = this.find(id);
    const entry = frame[place] as unknown[];
    if (typeof entry[0] === 'object' && !Array.isArray(entry[0])) entry.shift(); // options
    const isOwn = typeof entry[0] === 'string' && !entry.some(isBound);
    return isOwn ? json(entry).slice(1, -1) : undefined;
  }

  private find(id: number): [frame: unknown[], place: number] {
    const frame = JSON.parse(this.text) as unknown[];
    return [frame, id - this.firstId + (typeof frame[1] === 'number' && frame[1] > 0 ? 2 : 1)];
  }
}

/**
 * Finds the marks of arguments, with the first of their parts. What only looks like one, because a program has sent it, is
 * all that `$` or `$null` holds.
 */
function marksIn(form: unknown, found: [name: string, part: unknown][] = []) {
  if (Object(form) !== form) return found;
  let items = Array.isArray(form) ? form : Object.values(form as object);
  const [name = ''] = items === form || items.length > 1 ? [] : Object.keys(form as object);
  if (name === '$' || name === '$null') items = Object.values(Object(items[0]));
  else if (name[0] === '$') found.push([name, items[0]?.[0]]);
  for (const item of items) marksIn(item, found);
  return found;
}

/** Returns true for arguments that can be read nowhere else. Those that are a list hold no marks. */
function isBound(step: unknown): boolean {
  return !Array.isArray(step) && marksIn(step).some(([name]) => BOUND.test(name) || PASSED.test(name));
}

/** Returns true for arguments with bytes, which are behind the text of their frame. */
export function hasBytes(args: unknown): boolean {
  return marksIn(args).some(([name]) => name === '$bytes');
}

/** Returns what an entry passes by reference: pairs of an id and a count. */
export function passedIn(steps: readonly unknown[]): number[] {
  const passed: number[] = [];
  for (const step of steps) {
    if (Array.isArray(step)) continue;
    // What stands in one value several times was counted once.
    const ids = new Set(marksIn(step).map(([name, id]) => (PASSED.test(name) ? Number(id) : 0)));
    // A signal that is aborted already has none.
    for (const id of ids) if (id > 0) passed.push(id, 1);
  }
  return passed;
}

/** An operation that this side asked for, from the time it is made until it settles. */
export class Call {
  /** The id of its entry, which the steps of a chain share; 0 for a call that was not written. */
  declare readonly id: number;
  /** The frame that it was written into; undefined for a call that waits for something on this side. */
  declare readonly frame: Frame | undefined;
  /** The number of steps in front of it in its entry. */
  declare readonly depth: number;
  declare state: typeof WAITING | typeof RESOLVED | typeof REJECTED | typeof STEP;
  /** The result, or the reason of the failure. Of a step, the call that fetches its result, if there is one. */
  declare value: unknown;
  /** The promise of the result, if anyone has asked for it. */
  declare private deferred: PromiseWithResolvers<unknown> | undefined;
  /** True if something needs the result by itself, so that the call cannot become a step. */
  declare isUsed: boolean;
  /** Called when it has settled: ends what its options have begun. */
  declare ended: (() => void) | undefined;

  constructor(id: number, frame: Frame | undefined, depth: number) {
    this.id = id;
    this.frame = frame;
    this.depth = depth;
    this.state = WAITING;
    this.value = this.deferred = this.ended = undefined;
    this.isUsed = false;
  }

  /** Returns the promise of the result. */
  promise(): Promise<unknown> {
    if (this.deferred === undefined) {
      this.isUsed = true;
      this.deferred = Promise.withResolvers();
      if (this.state === RESOLVED || this.state === REJECTED) this.settle(this.state, this.value);
    }
    return this.deferred.promise;
  }

  /** Settles the call. If nobody asks for its result, a failure goes unnoticed. */
  settle(state: typeof RESOLVED | typeof REJECTED, value: unknown): void {
    const { deferred } = this;
    this.state = state;
    this.value = value;
    this.ended?.();
    if (deferred === undefined) return;
    if (state === RESOLVED) deferred.resolve(value);
    else rejectLocated(deferred, value);
  }

  reject(reason: unknown): void {
    this.settle(REJECTED, reason);
  }
}

/** Errors whose stacks already show the code that waits. */
const LOCATED = new WeakSet<object>();

/**
 * Rejects the promise of a call, and adds the code that waits for it to the error's stack. Engines of the V8 family know
 * that code while a promise rejects that theirs follows. So it costs nothing when a call is made, or succeeds.
 */
function rejectLocated({ resolve, reject }: PromiseWithResolvers<unknown>, reason: unknown): void {
  const rejecting = Promise.resolve().then(() => {
    if (reason instanceof Error && !LOCATED.has(reason)) {
      LOCATED.add(reason);
      // Skips the message and this function, and then the platform's own lines.
      const lines = new Error().stack?.split('\n').slice(2) ?? [];
      const waiting = lines.filter((line) => /^\s+at (?!.*node:internal)/.test(line));
      const value = [reason.stack, '    at a remote call', ...waiting].join('\n');
      // Leaves the stack of a frozen error unchanged, and does not throw.
      if (waiting.length > 0) Reflect.defineProperty(reason, 'stack', { value, configurable: true, writable: true });
    }
    throw reason;
  });
  // The engine follows its own functions from one promise to the other.
  rejecting.then(resolve, reject);
}

/** Most calls that reject at once within one task. */
const AT_ONCE = 100;

let count = 0;

/**
 * Runs `job`, which rejects a call: at once, or in a later task after many rejections in the same task. Otherwise code
 * that calls again as soon as a call is refused would block everything else, such as the opening of the connection.
 */
export function rejectLater(job: () => unknown): void {
  if (count === 0) {
    setTimeout(() => {
      count = 0;
    });
  }
  if (++count > AT_ONCE) setTimeout(job);
  else job();
}

/** Returns a call that has failed before anything was written. */
export function failedCall(reason: unknown): Call {
  const call = new Call(0, undefined, 0);
  rejectLater(() => call.reject(reason));
  return call;
}

/** Returns a call that settles as a promise does. */
export function callOf(promise: Promise<unknown>): Call {
  const call = new Call(0, undefined, 0);
  // It may have been given up.
  promise.then(
    (value) => call.state === WAITING && call.settle(RESOLVED, value),
    (reason) => call.state === WAITING && call.reject(reason),
  );
  return call;
}
