import { malformedFrame } from './errors.ts';
import { bytesOf, type Message, messageOf } from './message.ts';
import type { Request } from './platform-types.ts';
import { PROTOCOL_VERSION } from './version.ts';

/** The media type of an HTTP batch, without its version. A batch holds frames of one side, one after the other. */
export const BATCH_TYPE = 'application/x-lumenize-rpc';

/** The content type of requests and responses. */
export const BATCH_CONTENT_TYPE = 'application/x-lumenize-rpc; version=2';

/** The content type of a response that refuses a batch. Its text has the form of a close reason. */
export const REFUSAL_TYPE = 'text/x-lumenize-rpc';

/** Number of bytes before each frame. They hold its length as an unsigned integer, most significant byte first. */
export const BATCH_PREFIX_BYTES = 4;

/** The end of a connection, with the code and reason of a socket's close. */
export interface Close {
  code: number;
  reason: string;
}

/** The content of a batch: frames, and the close that came after them, if there was one. */
export interface Batch {
  frames: Message[];
  close?: Close | undefined;
}

/** Writes a batch. A frame is never empty, so a length of 0 announces a close, whose text fills the rest. */
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
 * Reads a batch. Its frames are text, or views of the bytes.
 * @throws {RpcError} `MALFORMED_FRAME` if a frame is longer than the bytes that are left
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

/** Reads a content type. `spoken` is true for a batch, `shared` for a batch of the version that this library speaks. */
export function readBatchType(header: string | null): { spoken: boolean; shared: boolean } {
  const [type, ...parameters] = (header ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const spoken = type === BATCH_TYPE;
  return { spoken, shared: spoken && parameters.includes(`version=${PROTOCOL_VERSION}`) };
}

/**
 * The content type of the description of a target: a `TargetDescription` in JSON. A request asks for the description by
 * accepting this type.
 */
export const DESCRIPTION_TYPE = 'application/x-lumenize-rpc-description+json';

/** Returns true if a request asks for a description of the target: a GET that accepts only the type of descriptions. */
export function asksForDescription(request: Request): boolean {
  return request.method === 'GET' && request.headers.get('Accept') === DESCRIPTION_TYPE;
}

/** The members that a target declares and its caller can reach. */
export interface TargetDescription {
  /** The name of the target's class, which bundlers may have shortened. */
  readonly name: string;
  /** The target's methods and getters, in the order of their names. */
  readonly members: readonly MemberDescription[];
}

/** A method or getter that can be called remotely. */
export interface MemberDescription {
  /** The name of the member. */
  readonly name: string;
  /** The kind of the member: a method is called, a getter is read. */
  readonly kind: 'method' | 'getter';
  /** The member's options in the class's `static rpc`, by name, such as `exactlyOnce`, `guard` and `args`. */
  readonly options: readonly string[];
}
