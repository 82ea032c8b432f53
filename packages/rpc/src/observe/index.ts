export { type CallCounter, type CallTotals, countCalls, type DurationTotals } from './count-calls.ts';
export { type CallLine, type CallLogger, type LogOptions, logCalls } from './log-calls.ts';
export {
  type CallWatch,
  type ObserveCall,
  type ObservedCall,
  type ObservedEnd,
  type Observer,
  observeCalls,
} from './observe-calls.ts';
export { forwardTraces, type WorkersSpan, type WorkersTracing, workersSpans } from './spans.ts';
