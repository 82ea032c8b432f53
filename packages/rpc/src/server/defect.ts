import type { RpcError } from '../errors.ts';

/** The defects behind refusals: they are reported, and not shown to callers. */
const DEFECTS = new WeakMap<RpcError, { readonly cause: unknown }>();

/** Notes the defect of the server's own code that kept it from deciding about a call. Returns the refusal. */
export function defective(error: RpcError, cause: unknown): RpcError {
  DEFECTS.set(error, { cause });
  return error;
}

/** Returns the defect behind a refusal, if there is one. */
export function defectBehind(error: unknown): { readonly cause: unknown } | undefined {
  return DEFECTS.get(error as RpcError);
}
