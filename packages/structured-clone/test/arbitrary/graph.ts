import fc from 'fast-check';
import { CONTAINERS } from './containers.ts';
import { ERRORS } from './errors.ts';
import { type Kind, type Parts, type Slot, slot } from './kind.ts';
import { LEAVES } from './leaves.ts';
import { type BufferPlan, bufferPool, MEMORY, makeBuffer, wholeBufferPool } from './memory.ts';
import { key } from './primitives.ts';

/** All kinds of objects that a value may hold here. */
export const KINDS: readonly Kind[] = [...CONTAINERS, ...ERRORS, ...LEAVES, ...MEMORY];

interface Node {
  readonly kind: string;
  readonly plan: unknown;
}

interface GraphPlan {
  /** The objects; a place names one by how far on it is. */
  readonly nodes: readonly Node[];
  readonly buffers: readonly BufferPlan[];
  readonly shapes: readonly (readonly string[])[];
  /** What the value is; `all` for a list of all objects, so that none is out of reach. */
  readonly root: Slot | 'all';
}

/** A value that can be built again and again, so that what was done to one of them can be seen by the other. */
export interface Graph {
  make(): unknown;
}

/** Any value that the codec carries by value: a pool of objects, wired at random, and so shared and in cycles. */
export const graph: fc.Arbitrary<Graph> = graphsOf(KINDS, bufferPool);

/** Values that native `structuredClone` carries just as the codec does. */
export const nativeGraph: fc.Arbitrary<Graph> = graphsOf(
  KINDS.flatMap(({ nativePlan, ...kind }) => (nativePlan ? [{ ...kind, plan: nativePlan }] : [])),
  wholeBufferPool,
);

export function graphsOf(kinds: readonly Kind[], buffers: fc.Arbitrary<BufferPlan[]>): fc.Arbitrary<Graph> {
  const nodes = fc.oneof(
    ...kinds.map(({ name, plan, weight = 1 }) => ({
      weight,
      arbitrary: plan.map((described): Node => ({ kind: name, plan: described })),
    })),
  );
  const plan: fc.Arbitrary<GraphPlan> = fc.record({
    nodes: fc.array(nodes, { minLength: 1, maxLength: 10, size: 'max' }),
    buffers,
    shapes: fc.array(fc.uniqueArray(key, { maxLength: 6 }), { minLength: 1, maxLength: 3 }),
    root: fc.oneof(
      { weight: 10, arbitrary: fc.constant({ node: 0 }) },
      { weight: 10, arbitrary: fc.constant('all' as const) },
      { weight: 1, arbitrary: slot },
    ),
  });
  return plan.map((described) => ({
    make: () => build(described, kinds),
    // What fast-check prints when a property fails.
    [fc.toStringMethod]: () => fc.stringify(described),
  }));
}

function build({ nodes, buffers, shapes, root }: GraphPlan, kinds: readonly Kind[]): unknown {
  const pool = buffers.map(makeBuffer);
  const made: object[] = [];
  const partsOf = (from: number): Parts => ({
    of: (place) => ('node' in place ? made[(from + place.node) % made.length] : place.is),
    buffer: (number) => pool[number % pool.length],
    shape: (number) => shapes[number % shapes.length],
  });
  const kindOf = ({ kind }: Node) => kinds.find(({ name }) => name === kind)!;
  for (const node of nodes) made.push(kindOf(node).make(node.plan, partsOf(0)));
  for (const [index, node] of nodes.entries()) kindOf(node).fill?.(made[index], node.plan, partsOf(index + 1));
  return root === 'all' ? made : partsOf(0).of(root);
}
