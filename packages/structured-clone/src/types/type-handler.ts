/** The types that have a handler, by the names used in options and in the text form. */
export type TypeName = 'Map' | 'Set' | 'Date' | 'RegExp' | 'Error' | 'ArrayBuffer' | 'View';

/** Where a handler puts the parts of a value; both wire forms implement it. */
export interface Sink {
  /** Whether stacks of errors are carried. */
  readonly errorStacks: boolean;
  /** Writes any value, keeping the identity of objects. */
  value(value: unknown): void;
  /** Writes raw bytes; they are copied before the call returns. */
  bytes(bytes: Uint8Array): void;
  /** Whether the bytes of this buffer are to be written whole, because more than one object of the value uses them. */
  sharesBuffer(buffer: ArrayBufferLike): boolean;
}

/** Where a handler gets the parts from, in the order they were written. Nothing read is trusted. */
export interface Source {
  /** Reads any value. */
  value(): unknown;
  /** Reads an integer from 0 to `maximum`, else throws. */
  integer(maximum: number): number;
  /** Reads a number of items that are still to come, each of at least one byte, else throws. */
  count(): number;
  /** Reads a string, else throws. */
  string(): string;
  /** Reads raw bytes into memory of their own. */
  bytes(): Uint8Array<ArrayBuffer>;
  /** Takes the identity number of the object being read: before any other object is read for it. */
  reserve(): number;
  /** Says which object a reserved number stands for; earlier is better: a cycle may lead back before all is read. */
  define<T>(reserved: number, object: T): T;
}
