// For applications: the type of the option `observe` of `connect` and of servers.
export type { Observer } from '../session/observe/observer.ts';
export { type CallCounter, type CallTotals, countCalls, type DurationTotals } from './count-calls.ts';
export { type CallLine, type CallLogger, type LogOptions, logCalls } from './log-calls.ts';
export {
  type CallWatch,
  type ObserveCall,
  type ObservedCall,
  type ObservedEnd,
  observeCalls,
} from './observe-calls.ts';
export { forwardTraces, type WorkersSpan, type WorkersTracing, workersSpans } from './spans.ts';
