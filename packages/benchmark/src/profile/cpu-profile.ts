/** A function as the engine names it: in the bundle that it runs, with lines and columns counted from 0. */
export interface CallFrame {
  readonly functionName: string;
  /** Empty for native code. */
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** A CPU profile of the DevTools protocol, as far as it is read here. Times are in µs. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: CallFrame;
    readonly children?: readonly number[];
  }[];
  /** The node that each sample found at the top of the stack. */
  readonly samples?: readonly number[];
  readonly startTime: number;
  readonly endTime: number;
}

/** A stack, its innermost function first, and how many samples found it. */
export interface SampledStack {
  readonly frames: readonly CallFrame[];
  readonly samples: number;
}

/** Returns every stack that was sampled, without the root. */
export function sampledStacks({ nodes, samples = [] }: CpuProfile): SampledStack[] {
  const counts = new Map<number, number>();
  for (const id of samples) counts.set(id, (counts.get(id) ?? 0) + 1);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  return [...counts].map(([leaf, count]) => {
    const frames: CallFrame[] = [];
    for (let id: number | undefined = leaf; id !== undefined; id = parents.get(id)) {
      const { callFrame } = byId.get(id)!;
      if (callFrame.functionName !== '(root)') frames.push(callFrame);
    }
    return { frames, samples: count };
  });
}
