import { isNativeStub } from '#platform';
import { refusal } from '../errors.ts';
import { bodies } from './bodies.ts';
import { isTarget } from './members.ts';
import type { Feature } from './options.ts';
import { mapping } from './recording.ts';
import { nodeOf } from './stub.ts';

/**
 * Refuses what is passed by reference, but what needs no connection: the target, which is on the other side already, and
 * signals that are aborted already.
 */
export const byValue: Feature = {
  pass(value, { peer }) {
    const node = nodeOf(value);
    if (node?.peer === peer && node.base === undefined) return { name: 'yours', parts: [0] };
    const isSignal = value instanceof AbortSignal;
    if (isSignal && value.aborted) return { name: 'signal', parts: [0, value.reason] };
    const isReference = isSignal || typeof value === 'function' || node !== undefined || Symbol.asyncIterator in value;
    if (!isReference && !isTarget(value) && !isNativeStub(value)) return undefined;
    throw refusal('NOT_CLONEABLE', 'functions, targets, streams and signals cannot be passed over HTTP: use connect()');
  },
  revive: { signal: (_peer, [, reason]) => AbortSignal.abort(reason) },
};

/** The features of connections where nothing outlives an answer. */
export const stateless: readonly Feature[] = [mapping, byValue, bodies];
