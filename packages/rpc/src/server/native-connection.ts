import { RpcTarget } from '#platform';
import { CLOSE_NORMAL, CLOSE_REFUSED, closeReason } from '../protocol/close-codes.ts';
import type { NativeConnection, NumberedClose, NumberedFrames, ReceiveNative } from '../transport/native.ts';
import type { Transport } from '../transport/transport.ts';
import { errorOfTarget } from './refusal.ts';
import type { ServerSession } from './session.ts';

/** What the platform makes of a function that was passed by RPC. */
type NativeFunction = ReceiveNative & Disposable & { dup(): NativeFunction };

/** Opens a connection that the platform's RPC carries; a target that cannot be made ends it at once. */
export function openNativeConnection(
  receive: ReceiveNative,
  open: (channel: Transport) => ServerSession,
): NativeConnection & RpcTarget {
  return new ServedConnection(receive as NativeFunction, open);
}

class ServedConnection extends RpcTarget implements NativeConnection {
  readonly #session: ServerSession | undefined;
  readonly #receive: NativeFunction;
  readonly #end = Promise.withResolvers<NumberedClose>();
  /** Calls of `send` that have no result frame yet. */
  readonly #waiting: ((frames: NumberedFrames) => void)[] = [];
  /** Where result frames go while a call frame is run. */
  #ready: Uint8Array[] | undefined;
  #sent = 0;
  #released = false;

  constructor(receive: NativeFunction, open: (channel: Transport) => ServerSession) {
    super();
    // What is passed to a call is released at its end, unless it is duplicated.
    this.#receive = receive.dup();
    try {
      this.#session = open({
        send: (frame) => this.#send(frame),
        close: (code, reason) => this.#end.resolve([this.#sent, code, reason]),
      });
    } catch (error) {
      this.#end.resolve([0, CLOSE_REFUSED, closeReason(errorOfTarget(error))]);
    }
  }

  send(frame: Uint8Array): NumberedFrames | Promise<NumberedFrames> {
    const ready: Uint8Array[] = [];
    const first = this.#sent;
    this.#ready = ready;
    this.#session?.receive(frame);
    this.#ready = undefined;
    if (ready.length > 0 || this.#session?.idle === undefined) return [first, ...ready];
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  ended(): Promise<NumberedClose> {
    return this.#end.promise;
  }

  close(): void {
    this[Symbol.dispose]();
  }

  /** Called by the platform, too, when the client is gone. */
  [Symbol.dispose](): void {
    if (this.#released) return;
    this.#released = true;
    this.#session?.lost();
    this.#receive[Symbol.dispose]();
    this.#end.resolve([this.#sent, CLOSE_NORMAL, '']);
    for (const resolve of this.#waiting.splice(0)) resolve([this.#sent]);
  }

  #send(frame: Uint8Array): void {
    const number = this.#sent++;
    if (this.#ready !== undefined) this.#ready.push(frame);
    else if (this.#released) return;
    else if (this.#waiting.length > 0) this.#waiting.shift()!([number, frame]);
    // Where that fails the client is gone, and its calls settle on its side.
    else Promise.resolve(this.#receive(number, frame)).catch(() => {});
  }
}
