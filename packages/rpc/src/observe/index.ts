// For applications: what `observe` of `connect` and of servers takes.
export type { Observer } from '../session/observe/observer.ts';
export { type CallCounter, type CallTotals, countCalls, type DurationTotals } from './count-calls.ts';
export { type CallLine, type CallLogger, type LogOptions, logCalls } from './log-calls.ts';
export { observeCalls } from './observe-calls.ts';
export type { CallWatch, ObserveCall, ObservedCall, ObservedEnd } from './observed-call.ts';
export { forwardTraces } from './traceparent.ts';
export { type WorkersSpan, type WorkersTracing, workersSpans } from './workers-spans.ts';
