import { RpcError } from '../../errors/rpc-error.ts';
import { isReading } from '../data-members.ts';
import type { AnyMember } from './declarations.ts';
import { noteRefused } from './thrown.ts';

/** A short list and a long separator could ask for a text of any length. */
const MAX_JOINED_LENGTH = 1_048_576;

/** Finds a method of a collection that only reads. */
export function readingMethod(receiver: object, name: string): AnyMember | undefined {
  if (!isReading(receiver, name)) return undefined;
  if (!Array.isArray(receiver)) return (receiver as unknown as Record<string, AnyMember>)[name];
  return (...args) => readList(receiver, name, args);
}

/**
 * Nothing that a caller has sent is made a text or a number of: a list that holds another twice, which holds another twice, and so
 * on, is a few bytes to send, and more text than there is memory.
 */
function readList(list: unknown[], name: string, args: unknown[]): unknown {
  const compared = name === 'includes' || name === 'indexOf' ? 1 : 0;
  if (args.slice(compared).some(isObject)) throw refusal(`${name}() of a list takes numbers and texts, no objects`);
  return name === 'join' ? join(list, args[0]) : Reflect.apply(list[name as 'slice'], list, args);
}

function join(list: unknown[], separator: unknown = ','): string {
  const between = String(separator);
  const texts: string[] = [];
  let length = 0;
  for (const element of list) {
    if (isObject(element)) throw refusal('join() is for lists of texts, numbers and the like, not of objects');
    const text = String(element ?? '');
    length += text.length + between.length;
    if (length > MAX_JOINED_LENGTH) {
      const message = `join() of more than ${MAX_JOINED_LENGTH} characters: ask for the list, or for less of it`;
      throw noteRefused(new RpcError('LIMIT_EXCEEDED', message));
    }
    texts.push(text);
  }
  return texts.join(between);
}

function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function refusal(message: string): RpcError {
  return noteRefused(new RpcError('INVALID_ARGUMENTS', message));
}
