import type { Capability, Case } from './case.ts';
import { createContext, findCollector } from './context.ts';
import type { ConnectContract, Library } from './library.ts';
import { LUMENIZE } from './lumenize.ts';

/** What became of a case: plain data, since it also comes out of pages. */
export interface CaseOutcome {
  status: 'holds' | 'fails' | 'does not apply';
  /** Why not. */
  reason?: string;
}

/** What a transport, or the place it is tried in, lacks, each with the reason. */
export type Lacks = Partial<Record<Capability, string>>;

/** How to run cases. */
export interface ContractOptions {
  /** Where the client runs. @default what this code runs in: Node, workerd or Chromium */
  environment?: string;
  lacks?: Lacks;
  /** Cases, or parts of the contract, that do not hold by design, or not yet, by their names, each with the reason. */
  dropped?: Readonly<Record<string, string>>;
  /** @default this project's */
  library?: Library;
  /** A case that has not ended by then does not hold. @default 30000 */
  timeoutMs?: number;
}

/** Why a case says nothing about a transport; undefined where it applies. */
export function whyNot({ needs }: Case, lacks: Lacks = {}): string | undefined {
  const missing = needs.find((capability) => lacks[capability] !== undefined);
  if (missing !== undefined) return lacks[missing];
  if (needs.includes('garbageCollection') && findCollector() === undefined) {
    return 'garbage cannot be collected on demand here';
  }
  return undefined;
}

/** Runs a case over a connection of its own, without any test tool; never rejects. */
export async function runCase(
  which: Case,
  connect: ConnectContract,
  { dropped, lacks, library = LUMENIZE, timeoutMs = 30_000 }: ContractOptions = {},
): Promise<CaseOutcome> {
  const reason = dropped?.[which.name] ?? dropped?.[which.part] ?? whyNot(which, lacks);
  if (reason !== undefined) return { status: 'does not apply', reason };
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`not done within ${timeoutMs} ms`)), timeoutMs);
  let context: ReturnType<typeof createContext> | undefined;
  try {
    context = createContext(connect, library);
    await Promise.race([which.run(context), late.promise]);
    return { status: 'holds' };
  } catch (error) {
    return { status: 'fails', reason: describeError(error) };
  } finally {
    clearTimeout(timer);
    context?.end();
  }
}

/** What was thrown, and where: only in V8 the stack begins with the message. */
function describeError(error: unknown): string {
  const { stack = '' } = error instanceof Error ? error : {};
  return stack.startsWith(String(error)) ? stack : `${error}\n${stack}`;
}
