import { createDecoderAsking, createEncoderAsking } from '@lumenize/structured-clone/demand';
import { locate, rareTypes } from '../codec-supply.ts';

/**
 * Keeps arguments as they are now, for a call that has to wait before it can be written; what it returns gives them back.
 * What does not travel as a copy is kept as it is, and so are arguments that cannot be copied yet, or not at all: writing
 * the call will say so. What is returned throws `NotLoaded` where a part of the library is needed for giving them back.
 */
export function capturedArguments(args: unknown[] | undefined): () => unknown[] | undefined {
  if (args === undefined) return () => undefined;
  const kept: object[] = [];
  let bytes: Uint8Array;
  try {
    const encoder = createEncoderAsking(locate, {
      errorStacks: true,
      extend: (value) => ({ kind: 0, payload: kept.push(value) - 1 }),
    });
    encoder.write(args);
    bytes = encoder.finish();
  } catch {
    return () => args;
  }
  return () => {
    let captured: unknown[] | undefined;
    const decode = createDecoderAsking(rareTypes, { revive: (_kind, place) => kept[place as number] });
    decode(bytes, (value) => {
      captured = value as unknown[];
    });
    return captured;
  };
}
