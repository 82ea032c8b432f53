import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { ClientHealth } from './plan.ts';

const NS_PER_MS = 1e6;
const DELAY_RESOLUTION_MS = 10;

/** Watches how busy and how late a process is. */
export interface HealthWatch {
  /** What follows is not timed, and does not count as late, until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends the watch and says how it was. */
  end(): ClientHealth;
}

/** Begins to watch this process. */
export function watchHealth(): HealthWatch {
  const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  const idleBefore = performance.eventLoopUtilization();
  delays.enable();
  return {
    pause: () => void delays.disable(),
    resume: () => void delays.enable(),
    end() {
      delays.disable();
      // The histogram holds intervals between timer events: what is above the resolution is lateness.
      const lateMs = (ns: number) => Math.max(0, ns / NS_PER_MS - DELAY_RESOLUTION_MS);
      return {
        utilization: performance.eventLoopUtilization(idleBefore).utilization,
        delayP99Ms: lateMs(delays.percentile(99)),
        delayMaxMs: lateMs(delays.max),
      };
    },
  };
}
