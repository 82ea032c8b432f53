import { ALL } from '@lumenize/structured-clone/messages';
import { type Address, readResultReference } from '../protocol/address.ts';
import { type Operation, readOperation } from '../protocol/operation.ts';
import { captureAt, Recording, readEntries, recordedIndex, recordingOf } from '../protocol/recording.ts';
import { RECORDING } from '../protocol/tags.ts';
import { ByReference, type DescribedCall, type DescribedRecording } from './frame-description.ts';

/** Describes a recording that was checked when its frame was read. */
function describeRecording(recording: Recording): ByReference {
  const calls: DescribedCall[] = [];
  let result: unknown;
  const revive = (name: string, content: unknown[]) => {
    if (name === RECORDING) return recordingOf(content);
    const { address, path } = readResultReference(content, recordedIndex(calls.length));
    return addressed(address, calls.length, path);
  };
  for (const entry of readEntries(recording, { types: ALL }, revive)) {
    const parts = entry as unknown[];
    if (parts.length === 1) result = parts[0];
    else {
      const operation = readOperation(parts, recordedIndex(calls.length));
      const receiver = addressed(operation.receiver, calls.length);
      calls.push(describeCall(calls.length + 1, operation, receiver, describeArguments(operation)));
    }
  }
  const content: DescribedRecording = { calls, result, captures: recording.captures };
  return new ByReference('recording', undefined, [], content);
}

/** The arguments of an operation, of which the first may be a recording. */
export function describeArguments({ args }: Operation): readonly unknown[] | undefined {
  return args?.map((arg) => (arg instanceof Recording ? describeRecording(arg) : arg));
}

/** Describes what an address of the operation at `place` leads to. */
function addressed(address: Address, place: number, path: readonly string[] = []): ByReference {
  if (address < 0) return new ByReference('capture', captureAt(address), path);
  if (address === 0) return new ByReference('element', undefined, path);
  // The key counts as the operation before the first.
  const id = recordedIndex(place) - address;
  return id === 0 ? new ByReference('key', undefined, path) : new ByReference('result', id, path);
}

/** Describes an operation of a call frame, or of a recording. */
export function describeCall(
  id: number,
  { path, terms, answered }: Operation,
  receiver: ByReference,
  args: readonly unknown[] | undefined,
): DescribedCall {
  return {
    id,
    operation: args === undefined ? 'get' : 'apply',
    receiver,
    path: args === undefined ? path : path.slice(0, -1),
    method: args === undefined ? undefined : path.at(-1),
    args,
    timeoutMs: terms?.timeoutMs,
    traceparent: terms?.traceparent,
    isStep: !answered,
  };
}
