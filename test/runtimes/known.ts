import type { RuntimeResult } from './runtimes.ts';

/** A case that does not hold in some runtimes, because of what they are. */
interface Known {
  readonly part: string;
  readonly case: string;
  readonly runtimes: readonly string[];
  readonly reason: string;
}

const KNOWN: readonly Known[] = [
  {
    part: 'errors',
    case: 'show in their stack where the call was made',
    runtimes: ['Bun', 'Firefox', 'WebKitGTK'],
    reason: 'only engines of the V8 family say who waits for a promise while it is being rejected',
  },
  {
    part: 'values',
    case: 'a Blob arrives with its bytes and its type',
    runtimes: ['Bun'],
    reason: "Bun's own `new Blob(['text'], { type: 'text/plain' })` has the type `text/plain;charset=utf-8`",
  },
];

/** Returns why a case is known not to hold in a runtime; undefined where it has to. */
export function whyItFails(runtime: string, result: Pick<RuntimeResult, 'part' | 'case'>): string | undefined {
  const known = KNOWN.find((each) => each.part === result.part && each.case === result.case);
  return known?.runtimes.includes(runtime) ? known.reason : undefined;
}

/** Returns the results that are not as they are known to be: cases that fail, or that hold by now. */
export function surprises(runtime: string, results: readonly RuntimeResult[]): RuntimeResult[] {
  return results.filter((each) => {
    const isKnown = whyItFails(runtime, each) !== undefined;
    return isKnown ? each.status === 'holds' : each.status === 'fails';
  });
}
