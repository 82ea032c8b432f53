import { isTarget } from './by-reference.ts';

/** Tells a target that nobody holds it any more, as Workers' own RPC does. */
export function dispose(value: object): void {
  if (!isTarget(value)) return;
  try {
    (value as Partial<Disposable>)[Symbol.dispose]?.();
  } catch (error) {
    // It is the target's own defect and must not end the connection.
    console.error('a target failed to be disposed of:', error);
  }
}
