import { type CallFrame, type CpuProfile, sampledStacks } from './cpu-profile.ts';
import { isPlatform, type Locate, type SourceFunction } from './locate.ts';
import { lonelyNodeStepOf, nodeStepOf, type Side, type Step, stepOf } from './steps.ts';

/** What samples found of one function: itself at the top of the stack, or it anywhere on it. */
export interface FunctionSamples extends SourceFunction {
  /** The step of its own samples. */
  readonly step: Step;
  readonly self: number;
  readonly total: number;
}

/** A profile's samples by steps and functions. */
export interface Folded {
  /** All, idle ones among them. */
  readonly samples: number;
  readonly idle: number;
  readonly steps: Readonly<Partial<Record<Step, number>>>;
  /** Those with the most samples of their own first. */
  readonly functions: readonly FunctionSamples[];
}

/**
 * Folds a profile of one side. A sample belongs to the innermost function that the table knows: native code and what
 * else the platform does are their caller's. Every sample is in exactly one step, or idle.
 */
export function fold(profile: CpuProfile, side: Side, locate: Locate): Folded {
  const steps: Partial<Record<Step, number>> = {};
  const functions = new Map<string, { -readonly [Key in keyof FunctionSamples]: FunctionSamples[Key] }>();
  let all = 0;
  let idle = 0;
  for (const { frames, samples } of sampledStacks(profile)) {
    all += samples;
    if (frames.length === 0 || frames[0].functionName === '(idle)') {
      idle += samples;
      continue;
    }
    const stack = frames.map(locate);
    const step = stepOfStack(frames[0], stack, side);
    steps[step] = (steps[step] ?? 0) + samples;
    for (const [key, written] of new Map(stack.map((each, depth) => [keyOf(each, stack, depth), each]))) {
      const entry = functions.get(key) ?? { ...named(written, key), step, self: 0, total: 0 };
      entry.total += samples;
      functions.set(key, entry);
    }
    const own = functions.get(keyOf(stack[0], stack, 0))!;
    own.step = step;
    own.self += samples;
  }
  const found = [...functions.values()].filter(({ self }) => self > 0);
  return { samples: all, idle, steps, functions: found.toSorted((a, b) => b.self - a.self) };
}

function stepOfStack(leaf: CallFrame, stack: readonly SourceFunction[], side: Side): Step {
  if (leaf.functionName === '(garbage collector)') return 'garbage';
  for (const each of stack) {
    if (!isPlatform(each)) return stepOf(each, side);
    const step = nodeStepOf(each, side);
    if (step) return step;
  }
  for (const each of stack) {
    const step = lonelyNodeStepOf(each, side);
    if (step) return step;
  }
  return 'native';
}

/** Native code is told apart by who called it: `send` by itself says nothing. */
function keyOf(each: SourceFunction, stack: readonly SourceFunction[], depth: number): string {
  if (each.file !== '') return `${each.name} ${each.file}:${each.line}`;
  const caller = stack.slice(depth + 1).find(({ file }) => file !== '');
  return caller ? `${each.name}, native, for ${caller.name} ${caller.file}:${caller.line}` : each.name;
}

function named(written: SourceFunction, key: string): SourceFunction {
  return written.file === '' ? { ...written, name: key } : written;
}
