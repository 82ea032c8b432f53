import { answersOf } from './answers.ts';
import { type Running, RunningCall } from './context.ts';
import { callFunction, callMember, readMember } from './members.ts';
import type { Answering } from './options.ts';

/** Stands for the frame of calls that this side makes for itself. */
const HERE: Running = {
  target: undefined,
  results: new Map(),
  tail: undefined,
  ageMs: undefined,
  captures: [],
  operations: { count: 0 },
  refused: undefined,
  cost: 0,
};

/** Answers the calls of the other side, and goes on from results that are here. */
export const answering: Answering = {
  run: (peer, frame, tail) => void answersOf(peer).run(frame, tail),
  go(peer, value, names, args) {
    const call = new RunningCall(peer, 0, [...names, args], HERE);
    let from = value;
    const last = args === undefined ? undefined : names.at(-1);
    for (const name of args === undefined ? names : names.slice(0, -1)) from = readMember(call, from, name);
    if (args === undefined) return from;
    return last === undefined ? callFunction(call, from, args) : callMember(call, from, last, args);
  },
};
