import { RpcError } from '@lumenize/rpc/server';
import type { Description, UploadedFile } from './wire.ts';

/** Options of the uploads of an object. */
export interface UploadsOptions {
  /** The bytes of one file. @default 104857600 */
  readonly maxBytes?: number;
  /** The bytes of all files, with those that are not complete. @default 1073741824 */
  readonly maxTotalBytes?: number;
  /** The number of files, with those that are not complete. @default 10000 */
  readonly maxFiles?: number;
  /** The media types that are accepted, such as `'image/*'`. They are what clients say. @default all */
  readonly types?: readonly string[];
  /** The time after which an upload is deleted that was begun and is not complete, in milliseconds. @default 86400000 */
  readonly abandonedAfterMs?: number;
  /** Called once for each file that is complete, in the transaction that completes it. If it throws, the file is not. */
  readonly onFinish?: ((file: UploadedFile, owner: string) => void) | undefined;
}

/** Returns options with their defaults. */
export function withDefaults({
  maxBytes = 104_857_600,
  maxTotalBytes = 1_073_741_824,
  maxFiles = 10_000,
  abandonedAfterMs = 86_400_000,
  ...others
}: UploadsOptions) {
  return { maxBytes, maxTotalBytes, maxFiles, abandonedAfterMs, ...others };
}

/** A media type, perhaps with parameters. It becomes a header, so there is no line break in it. */
const TYPE = /^[\w.+-]+\/[\w.+-]+(;[ -~]*)?$/;
const LONGEST = 1000;

/**
 * Returns the parts of a description, with what tells its upload from others of its owner.
 * @throws {RpcError} `INVALID_ARGUMENTS` or `TOO_LARGE` if there can be no such file
 */
export function checkedDescription(
  given: unknown,
  { maxBytes, types }: ReturnType<typeof withDefaults>,
): Omit<Description, 'sha256'> & { readonly sha256: string } {
  const { name, type, size, sha256, key, by } = Object(given) as Partial<Description>;
  const isText = [name, type, key, by].every((each) => typeof each === 'string' && each.length <= LONGEST);
  const isWhole = Number.isSafeInteger(size) && size! >= 0;
  if (!isText || !isWhole || !(sha256 instanceof Uint8Array) || sha256.length !== 32) {
    throw new RpcError('INVALID_ARGUMENTS', 'an upload needs a name, type, size and checksum');
  }
  if (size! > maxBytes) throw new RpcError('TOO_LARGE', `a file has at most ${maxBytes} bytes, not ${size}`);
  const isAccepted = (pattern: string) =>
    pattern.endsWith('/*') ? type!.startsWith(pattern.slice(0, -1)) : type!.split(';')[0] === pattern;
  if ((type !== '' && !TYPE.test(type!)) || types?.some(isAccepted) === false) {
    throw new RpcError('INVALID_ARGUMENTS', `files of the type "${type}" are not accepted`);
  }
  const hex = hexOf(sha256);
  const wellFormed = name!.toWellFormed();
  // Another name or type is another file.
  return {
    name: wellFormed,
    type: type!,
    size: size!,
    sha256: hex,
    by: by!,
    key: JSON.stringify([hex, wellFormed, type, key]),
  };
}

export function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
