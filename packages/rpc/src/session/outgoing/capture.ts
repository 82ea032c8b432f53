import { createDecoder, encode } from '@lumenize/structured-clone';

/**
 * Keeps arguments as they are now, for a call that has to wait before it can be written; what it returns gives them back.
 * What travels by reference is kept as it is.
 * @throws {CloneError} where an argument can neither be cloned nor `travels`
 */
export function capture(args: unknown[] | undefined, travels: (value: object) => boolean): () => unknown[] | undefined {
  if (args === undefined) return () => undefined;
  const kept: object[] = [];
  const bytes = encode(args, {
    errorStacks: true,
    extend: (value) => (travels(value) ? { kind: 0, payload: kept.push(value) - 1 } : undefined),
  });
  return () => {
    let captured: unknown[] | undefined;
    const decode = createDecoder({ revive: (_kind, place) => kept[place as number] });
    decode(bytes, (value) => {
      captured = value as unknown[];
    });
    return captured;
  };
}
