import { currentRealm } from './realm.ts';
import { describeError } from './scheduler.ts';

/** Returns a console method that writes to the trace of the world. Nothing is printed. */
function logger(level: string) {
  return (...parts: unknown[]) => {
    const text = parts.map((part) => (typeof part === 'string' ? part : describeError(part))).join(' ');
    currentRealm()?.note(`console.${level}`, text);
  };
}

/** The console of simulated code. */
export const simulatedConsole = {
  ...console,
  debug: logger('debug'),
  log: logger('log'),
  info: logger('info'),
  warn: logger('warn'),
  error: logger('error'),
};
