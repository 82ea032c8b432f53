import { deserialize, serialize } from 'capnweb';
import { describeValue } from '../../../../tools/difference/describe-value.ts';
import { describeDifference } from './describe-difference.ts';

/** What a way to carry values made of one. */
export type Carried =
  | {
      readonly arrived: unknown;
      readonly bytes: number | undefined;
      readonly text?: string;
      readonly lost: readonly string[];
    }
  | { readonly refused: string };

/** A way to carry values that this page has beside Lumenize RPC. */
export interface Carrier {
  readonly name: string;
  readonly how: string;
  /** Carries a value there and back, in this page. */
  carry(value: unknown): Carried;
}

const utf8 = new TextEncoder();

/** JSON, Cap'n Web and the platform's own clone: what programs use where they do not use this library. */
export const CARRIERS: readonly Carrier[] = [
  textCarrier('JSON', 'JSON.parse(JSON.stringify(value))', stringify, (text) => JSON.parse(text)),
  textCarrier('Cap’n Web', 'deserialize(serialize(value))', serialize, deserialize),
  {
    name: 'structuredClone',
    how: 'structuredClone(value): within this browser only',
    carry: (value) => attempt(value, () => ({ arrived: structuredClone(value), bytes: undefined })),
  },
];

function textCarrier(
  name: string,
  how: string,
  write: (value: unknown) => string,
  read: (text: string) => unknown,
): Carrier {
  const carry = (value: unknown) =>
    attempt(value, () => {
      const text = write(value);
      return { arrived: read(text), bytes: utf8.encode(text).length, text };
    });
  return { name, how, carry };
}

/** JSON has no text at all for some values, and says so by none. */
function stringify(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new TypeError('JSON.stringify returned undefined: there is no text to send');
  return text;
}

/** Carries a value, and compares what arrived with it; an error is a refusal. */
function attempt(value: unknown, carry: () => { arrived: unknown; bytes: number | undefined; text?: string }): Carried {
  try {
    const carried = carry();
    return { ...carried, lost: describeDifference(carried.arrived, value) };
  } catch (error) {
    return { refused: messageOf(error) };
  }
}

/** What an error says; anything may be thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : describeValue(error);
}
