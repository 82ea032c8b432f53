import type { Message } from '@lumenize/rpc';
import { allTypes, fromMessage, isMarked, Reviver, toMessage } from '@lumenize/structured-clone/messages';
import { FrameWriter } from '../../src/protocol/frame-writer.ts';
import { messageOf } from '../../src/protocol/message.ts';
import { RECORDING } from '../../src/protocol/tags.ts';

/** Stands for an extension in what `sequence` writes. */
export class Extended {
  readonly name: string;
  readonly parts: readonly unknown[];

  constructor(name: string, ...parts: readonly unknown[]) {
    this.name = name;
    this.parts = parts;
  }
}

/** Writes a frame of entries that a client of the library may never send. Bytes that are no part of another value follow its text as they are. */
export function sequence(...entries: unknown[]): Message {
  const writer = new FrameWriter(
    { types: allTypes() },
    { extend: (value) => (value instanceof Extended ? value : undefined) },
  );
  const bytes = entries.filter((entry) => entry instanceof Uint8Array);
  for (const entry of entries) if (!(entry instanceof Uint8Array)) writer.write(entry);
  const frame = writer.finish();
  if (bytes.length === 0) return frame;
  const { text, tail } = fromMessage(frame);
  return toMessage(text, tail ? [tail, ...bytes] : bytes);
}

/** Stands for a recording of these entries. */
export function recording(entries: readonly unknown[], ...captures: readonly unknown[]): Extended {
  const { text, tail } = fromMessage(sequence(...entries));
  const forms = (JSON.parse(text) as unknown[]).map((entry) => (isMarked(entry) ? entry.$ : entry));
  return new Extended(RECORDING, forms, captures, ...(tail ? [tail] : []));
}

/** The entries of a frame, and behind them the bytes that none of these uses; what is no value comes as its name and parts. */
export function valuesOf(frame: Message): unknown[] {
  // Some sockets say nothing of text.
  const { text, tail } = fromMessage(typeof frame === 'string' ? frame : messageOf(frame));
  const reviver = new Reviver(
    { types: allTypes(), tail, verbatim: RECORDING },
    { revive: (name, parts) => ({ name, parts }) },
  );
  const values = (JSON.parse(text) as unknown[]).map((entry) => reviver.value(entry));
  return reviver.left === 0 ? values : [...values, tail!.subarray(-reviver.left)];
}

/** The number that a frame begins with: the id of its first call or result, or what kind of frame it is. */
export function kindOf(frame: Message): unknown {
  return valuesOf(frame)[0];
}
