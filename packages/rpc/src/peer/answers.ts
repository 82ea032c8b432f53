import { isMarked, toMessage } from '@lumenize/structured-clone/messages';
import { exceeded, FrameError, isRefusal, malformed, RpcError, refusal, unsendable } from '../errors.ts';
import { json } from '../protocol.ts';
import { type Asked, nameOfAsked as nameOf, type Running, rejected } from './asked.ts';
import { passedIn } from './call.ts';
import { callMember, disposeOf, isTarget, readMember } from './members.ts';
import { atEndOfTurn, type Peer } from './peer.ts';
import { type Marked, readValue, referenced } from './reader.ts';
import { bytesOf, mostText, placed, tooLarge } from './sizes.ts';
import { ITEMS_OF, isPromise, Writer } from './writer.ts';

/** What goes with a text that needs nothing else. */
const NOTHING: Pick<Writer, 'tail' | 'sent'> = { tail: [], sent: undefined };

/** The number of results inside of chains that are kept for later frames. */
const MAX_KEPT = 1000;

/** The half of a peer that runs the calls of the other side and answers them. */
export class Answers<Call extends Asked = Asked> {
  declare readonly peer: Peer;
  /** The calls that wait for something, by their ids. */
  declare readonly waiting: Map<number, Call>;
  /** Results inside of chains, by `id.number`; a failure is there for all of its chain, by `id`. */
  declare protected readonly kept: Map<string, unknown>;
  /** Steps that are asked for before their chains have come to them, by their keys. */
  declare private expected: Map<string, PromiseWithResolvers<unknown>> | undefined;
  /** The answers that leave next, with their bytes, and the id behind the last of them. */
  declare private text: string;
  declare private tail: Uint8Array[];
  declare private next: number;
  /** True while answers leave without being asked to: at the end of the frame that runs, or of the turn. */
  declare protected willFlush: boolean;

  constructor(peer: Peer) {
    this.peer = peer;
    this.waiting = new Map();
    this.kept = new Map();
    this.expected = undefined;
    this.text = '';
    this.tail = [];
    this.next = 0;
    this.willFlush = false;
  }

  /** The number of results that are kept. */
  get held(): number {
    return this.kept.size;
  }

  /**
   * Runs the calls of a frame, in order.
   * @throws {RpcError} if it is malformed
   */
  run([first, ...entries]: unknown[], tail: Uint8Array | undefined): void {
    const running = { target: this.peer.target, results: new Map(), tail };
    let callId = first as number;
    const isInner = this.willFlush;
    this.willFlush = true;
    for (const steps of entries) {
      // Numbers are the place of a call that was given up, and in front how many have settled.
      if (typeof steps !== 'number') this.start({ callId, steps, running, kept: 0 } as unknown as Call);
      if (!((steps as number) > 0)) callId++;
    }
    this.willFlush = isInner;
    this.peer.flush();
  }

  /** Runs a call, and answers it unless it waits. */
  protected start(call: Call): void {
    const { results } = call.running;
    let result: unknown;
    try {
      result = this.begin(call);
    } catch (error) {
      if (error instanceof FrameError) throw error;
      results.set(call.callId, rejected(error));
      return this.fail(call, error);
    }
    results.set(call.callId, result);
    if (isPromise(result)) this.later(call, result, (value) => this.answer(call, value));
    else this.answer(call, result);
  }

  /** Runs a call from its receiver on. */
  begin(call: Call): unknown {
    const { running, steps } = call;
    const [first] = steps;
    if (!Array.isArray(steps) || first === undefined) throw malformed('an entry');
    const at = typeof first === 'object' && !Array.isArray(first) ? 1 : 0; // options come first
    const receiver = steps[at];
    return typeof receiver === 'string'
      ? this.go(call, at, running.target)
      : this.go(call, at + 1, this.find(receiver, running));
  }

  /** Goes along a call's steps: a name before a list of arguments is called, any other is read. */
  protected go(call: Call, from: number, receiver: unknown): unknown {
    const { steps } = call;
    this.requireRoom(call);
    let value = receiver;
    for (let at = from; at < steps.length; ) {
      if (isPromise(value)) return value.then((settled) => this.go(call, at, settled));
      const step = steps[at];
      const name = typeof step === 'string' ? step : undefined;
      const place = name === undefined ? at : at + 1;
      const args = steps[place];
      if (typeof args !== 'object' || args === null) {
        if (name === undefined) throw malformed('a step');
        value = this.read(call, value, name);
        at++;
      } else if (Array.isArray(args)) {
        at = place + 1;
        value = this.call(call, value, name, args, at);
        if (at < steps.length && call.kept >= 0) this.keep(`${call.callId}.${call.kept++}`, value);
      } else {
        steps[place] = undefined; // what it holds is given back if it is not read
        const given = this.arguments(args as Marked, call);
        if (!isPromise(given)) steps[place] = given;
        else {
          return given.then((read) => {
            steps[place] = read;
            return this.go(call, at, value);
          });
        }
      }
    }
    return value;
  }

  /** @throws {RpcError} if a call cannot run while so many others do */
  protected requireRoom(_call: Call): void {
    const { limits } = this.peer.settings;
    if (this.waiting.size >= limits.maxCallsInFlight) throw exceeded('maxCallsInFlight', limits, 'OVERLOADED');
  }

  protected read(_call: Call, value: unknown, name: string): unknown {
    return readMember(value, name);
  }

  protected call(_call: Call, value: unknown, name: string | undefined, args: unknown[], _next: number): unknown {
    return callMember(value, name, args);
  }

  /** Reads arguments. Waits for results that they refer to. */
  arguments(args: Marked, call: Pick<Call, 'running'>): unknown {
    const { running } = call;
    if (Array.isArray(args)) return args;
    const { of = [] } = args;
    if (!isMarked(args) || !Array.isArray(of)) throw malformed('arguments');
    const results = of.map((address) => this.find(address, running));
    const read = (settled: readonly unknown[]) => {
      let given: unknown;
      try {
        given = readValue(this.peer, args, { ...running, results: settled, bound: () => this.bound(call) });
      } catch (error) {
        // A value that is refused fails its call. One that nobody could have written ends the connection.
        if ((error as { code?: unknown }).code === 'MALFORMED') throw malformed((error as Error).message);
        throw unsendable(error, this.placeOfRefused?.(error, args, call) ?? '');
      }
      if (!Array.isArray(given)) throw malformed('arguments');
      return given;
    };
    return results.some(isPromise)
      ? Promise.all(results).then(read, (error) => {
          this.refuse({ steps: [args] });
          throw error;
        })
      : read(results);
  }

  /** Returns where a value is that is refused, for messages. */
  protected placeOfRefused?(
    error: unknown,
    args: Marked,
    call: Pick<Call, 'running'> & Partial<Pick<Call, 'steps'>>,
  ): string | undefined;

  /** Called when arguments hold something of the connection. */
  protected bound(_call: Pick<Call, 'running'>): void {}

  /** Finds what an address stands for. */
  protected find(address: unknown, running: Running): unknown {
    const { results } = running;
    const { kept } = this;
    if (address === 0) return running.target;
    if ((address as number) > 0 && typeof address === 'number') return referenced(this.peer, address);
    if (results.has(-(address as number))) return results.get(-(address as number));
    if (!Array.isArray(address) || !address.every(Number.isSafeInteger)) throw malformed('an address');
    const [id] = address;
    const key = [address.join('.'), `${id}`].find((key) => kept.has(key));
    if (key !== undefined) return kept.get(key);
    // Its chain may not have come there yet.
    const chain = results.get(id) ?? this.waiting.get(id)?.result;
    const look = () => this.find(address, { ...running, results: new Map() });
    if (isPromise(chain)) return this.expect(address.join('.'), () => chain.then(look, look));
    throw refusal('REFERENCE_LOST', 'the result of this step is no longer kept: await it, and use what that gives');
  }

  /** Waits for a step: until its chain comes there, or else until all of the chain has settled. */
  private expect(key: string, settled: () => PromiseLike<unknown>): Promise<unknown> {
    this.expected ??= new Map();
    const { expected } = this;
    const known = expected.get(key);
    if (known !== undefined) return known.promise;
    const step = Promise.withResolvers<unknown>();
    expected.set(key, step);
    const end = (go: (value: unknown) => void) => (value: unknown) => {
      expected.delete(key);
      go(value);
    };
    settled().then(end(step.resolve), end(step.reject));
    step.promise.catch(() => {}); // who waits for it gets the error, if somebody still does
    return step.promise;
  }

  /** Keeps a result inside of a chain. */
  protected keep(key: string, value: unknown): void {
    const { kept } = this;
    this.expected?.get(key)?.resolve(value);
    kept.set(key, value);
    if (kept.size > MAX_KEPT) this.forget(kept.keys().next().value!);
    // Whoever uses it gets the error.
    if (isPromise(value))
      value.then(
        (settled) => (kept.has(key) ? this.keep(key, settled) : this.peer.answers !== this && this.drop(settled)),
        () => {},
      );
  }

  /** Keeps a result no longer. */
  protected forget(key: string): void {
    const value = this.kept.get(key);
    this.kept.delete(key);
    this.drop(value);
  }

  /** Disposes of a target that is kept no longer, unless the other side holds it. */
  protected drop(value: unknown): void {
    if (value !== this.peer.target && !this.peer.references?.holds(value as object)) disposeOf(value);
  }

  /** Goes on with a call once something has settled, unless the call is over by then. */
  protected later(call: Call, promise: PromiseLike<unknown>, go: (value: unknown) => void): void {
    const { waiting } = this;
    // Calls are counted, and given up, by their ids.
    if ((waiting.get(call.callId) ?? call) !== call) {
      Promise.resolve(promise).catch(() => {}); // nobody is told how it ends
      return this.peer.broken(malformed('an id that is in use'));
    }
    call.result = promise;
    waiting.set(call.callId, call);
    promise.then(
      (value) => (waiting.delete(call.callId) ? go(value) : this.drop(value)),
      (error) => (waiting.delete(call.callId) ? this.fail(call, error) : this.refuse(call)),
    );
  }

  /** Answers a call with a value. */
  protected answer(call: Call, value: unknown): void {
    const isPlain = typeof value === 'boolean' || typeof value === 'string' || (Number.isFinite(value) && value !== 0);
    if (isPlain) this.write(call, JSON.stringify(value), NOTHING);
    else this.reply(call, value, false);
  }

  /** Gives back what is passed to steps of a call that were not come to. */
  private refuse({ steps }: Pick<Call, 'steps'>): void {
    const passed = passedIn(steps);
    if (passed.length > 0 && this.peer.answers === this) this.peer.signal(`{"release":[${passed}]}`);
  }

  /** Answers a call with the error with which it failed. What is reported is `thrown`. */
  protected fail(call: Call, error: unknown, thrown = error): void {
    if (error instanceof FrameError) return this.peer.broken(error);
    this.failed(call, thrown);
    this.refuse(call);
    if (call.steps.length > 2) {
      // The engine holds the calls that a stack tells of, with their arguments, until it is asked for the text.
      void (error as Partial<Error> | undefined)?.stack;
      this.keep(`${call.callId}`, rejected(error));
    }
    this.reply(call, error, true);
  }

  /** Answers a call. Most results are short and plain. */
  private reply(call: Call, value: unknown, isError: boolean, writer = new Writer(this.peer, undefined, call)): void {
    let text: string;
    try {
      text = (isError ? undefined : this.placeOf?.(call, value)) ?? writer.write(value);
    } catch (error) {
      if (!isError) this.dropUnsent(value, writer);
      const of = ITEMS_OF.get(value as object);
      const told = unsendable(
        error,
        isError ? '' : `${of ? `an item of ${of}` : `the result of ${nameOf(call)}`}(): `,
        of && 'at item',
      ) as Error;
      if (!isError) return this.fail(call, told, error);
      // By hand: nothing that can be refused again.
      const [code, why] =
        value instanceof RpcError
          ? [value.code, `${value.message}`]
          : ['NOT_CLONEABLE', `${nameOf(call)}() threw what cannot be sent: ${told.message}`];
      return this.write(call, json({ $: { $rpcError: [code, why] }, '!': 1 }), NOTHING);
    }
    const [address] = call.steps;
    // A step that is fetched is a reference from now on.
    if (call.steps.length === 1 && Array.isArray(address) && isTarget(value)) this.kept.delete(address.join('.'));
    const { waits } = writer;
    if (waits !== undefined) {
      const ready = Promise.all(waits);
      ready.catch(() => this.dropUnsent(value, writer));
      this.later(call, ready, () => this.reply(call, value, isError, writer));
    } else if (!isError) this.write(call, text, writer);
    else this.write(call, `${text.startsWith('{"$":') ? text.slice(0, -1) : `{"$":${text}`},"!":1}`, writer);
  }

  /** Disposes of the targets in a result that is not sent. */
  private dropUnsent(value: unknown, { sent }: Writer): void {
    for (const unsent of [value, ...(sent?.keys() ?? [])]) this.drop(unsent);
  }

  /** Returns the text of a result that is a place: the call leads to it again. */
  protected placeOf?(call: Call, value: unknown): string | undefined;

  /** Reports that a call has failed. */
  protected failed(call: Call, error: unknown): void {
    if (!isRefusal(error)) this.peer.settings.onError?.(error, nameOf(call), undefined);
  }

  protected write(call: Call, written: string, { tail, sent }: Pick<Writer, 'tail' | 'sent'>): void {
    const { callId } = call;
    const { maxMessageBytes } = this.peer.settings.limits;
    const bytes = written.length + bytesOf(tail);
    if (bytes > maxMessageBytes) {
      const message = `the result of ${nameOf(call)}: ${tooLarge(bytes, maxMessageBytes)}`;
      return this.fail(call, refusal('TOO_LARGE', message));
    }
    const isFull =
      this.text.length + bytesOf(this.tail) + bytes > maxMessageBytes ||
      this.text.length + written.length > mostText(this.peer.settings);
    if (isFull) this.flush();
    const text = placed(written, tail, this.tail);
    this.peer.answered();
    for (const noteSent of sent?.values() ?? []) noteSent();
    this.text +=
      this.text === '' ? `[-${callId},${text}` : callId === this.next ? `,${text}` : `,{"$":${callId}},${text}`;
    this.next = callId + 1;
    this.tail.push(...tail);
    if (this.willFlush) return;
    this.willFlush = true;
    atEndOfTurn(() => {
      this.willFlush = false;
      this.peer.flush();
    });
  }

  /** Sends the answers that are ready. */
  flush(): void {
    if (this.text === '') return;
    const text = `${this.text}]`;
    const message = this.tail.length === 0 ? text : toMessage(text, this.tail);
    this.text = '';
    this.tail = [];
    this.peer.signal(message);
  }

  /** Gives up calls, for which nobody waits any more: pairs of an id and a code. */
  cancel(given: unknown): void {
    if (!Array.isArray(given)) throw malformed('cancel');
    for (const id of given) this.waiting.delete(id);
  }

  /** Ends all calls, whose connection has ended. */
  lose(_reason: RpcError): void {
    this.waiting.clear();
    for (const key of this.kept.keys()) this.forget(key);
    this.text = '';
  }
}

/** Makes what answers the calls of a server. */
export function answersOver(peer: Peer): Answers {
  return new Answers(peer);
}
