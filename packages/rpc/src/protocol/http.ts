import { malformedFrame } from './errors.ts';
import { bytesOf, type Message, messageOf } from './message.ts';
import { PROTOCOL_VERSION } from './version.ts';

/** The media type of an HTTP batch without its version: frames of one side, one behind the other. */
export const BATCH_TYPE = 'application/x-lumenize-rpc';

/** The content type of requests and responses. */
export const BATCH_CONTENT_TYPE = 'application/x-lumenize-rpc; version=2';

/** The content type of a response that refuses a batch: text like the reason of a socket's close. */
export const REFUSAL_TYPE = 'text/x-lumenize-rpc';

/** Bytes that come before each frame: its length, as an unsigned integer, most significant byte first. */
export const BATCH_PREFIX_BYTES = 4;

/** The end of a connection, with the codes and reasons of a socket's close. */
export interface Close {
  code: number;
  reason: string;
}

/** The content of a batch: frames, and the close that came after them, if one did. */
export interface Batch {
  frames: Message[];
  close?: Close | undefined;
}

/** Writes a batch. A frame is never empty: the length 0 announces a close, which is text to the end. */
export function writeBatch({ frames, close }: Batch): Uint8Array<ArrayBuffer> {
  const parts = frames.map(bytesOf);
  if (close !== undefined) parts.push(bytesOf(`${close.code} ${close.reason}`));
  const bytes = new Uint8Array(parts.reduce((size, part) => size + BATCH_PREFIX_BYTES + part.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [place, part] of parts.entries()) {
    view.setUint32(at, place < frames.length ? part.length : 0);
    bytes.set(part, at + BATCH_PREFIX_BYTES);
    at += BATCH_PREFIX_BYTES + part.length;
  }
  return bytes;
}

/**
 * Reads a batch; its frames are text, or views of the bytes.
 * @throws {RpcError} `MALFORMED_FRAME` where a frame is longer than what is left
 */
export function readBatch(bytes: Uint8Array<ArrayBuffer>): Batch {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames: Message[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = at + BATCH_PREFIX_BYTES <= bytes.length ? view.getUint32(at) : Number.POSITIVE_INFINITY;
    at += BATCH_PREFIX_BYTES;
    if (length === 0) return { frames, close: readClose(new TextDecoder().decode(bytes.subarray(at))) };
    const end = at + length;
    if (end > bytes.length) throw malformedFrame('a batch was cut short');
    frames.push(messageOf(bytes.subarray(at, end)));
    at = end;
  }
  return { frames };
}

function readClose(text: string): Close {
  const [, code, reason] = /^(\d{4}) (.*)$/s.exec(text) ?? [];
  if (code === undefined) throw malformedFrame('a batch that ends with neither frame nor close');
  return { code: Number(code), reason };
}

/** Reads a content type: a batch or not, and of a version that is spoken here or not. */
export function readBatchType(header: string | null): { spoken: boolean; shared: boolean } {
  const [type, ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const spoken = type === BATCH_TYPE;
  return { spoken, shared: spoken && parameters.includes(`version=${PROTOCOL_VERSION}`) };
}

/** The content type that a request accepts which asks what an object declares, and that of the answer: JSON, a `TargetDescription`. */
export const DESCRIPTION_TYPE = 'application/x-lumenize-rpc-description+json';

/** The members that a target declares, as far as its caller can reach them. */
export interface TargetDescription {
  /** The name of its class, which bundlers may have shortened. */
  readonly name: string;
  /** Its methods and getters, in the order of their names. */
  readonly members: readonly MemberDescription[];
}

/** A method or getter that can be called remotely. */
export interface MemberDescription {
  /** Its name. */
  readonly name: string;
  /** Called, or read. */
  readonly kind: 'method' | 'getter';
  /** Its options in the class's `static rpc`, by name, such as `exactlyOnce`, `guard` and `args`. */
  readonly options: readonly string[];
}
