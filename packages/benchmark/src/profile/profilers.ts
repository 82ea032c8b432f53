import { Session } from 'node:inspector/promises';
import type { CpuProfile } from './cpu-profile.ts';
import { Devtools } from './devtools.ts';

/**
 * Between samples, for the profilers on both sides; they come later than asked for, since the system's timers are not
 * exact. A sample walks the stack and wakes a thread that waits: every 150 µs, calls take a multiple of their time.
 */
export const INTERVAL_US = 500;

/** Profiles of the same time on both sides. */
export interface BothProfiles {
  readonly client: CpuProfile;
  readonly server: CpuProfile;
}

/** The CPU profilers of this process and of a server. */
export class Profilers {
  readonly #own = new Session();
  readonly #server: Devtools;

  /** Connects to the inspector at `url` (`ws://…`). */
  static async connect(url: string): Promise<Profilers> {
    const profilers = new Profilers(await Devtools.connect(url));
    await profilers.#server.ask('Profiler.enable');
    await profilers.#own.post('Profiler.enable');
    await profilers.#server.ask('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    await profilers.#own.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
    return profilers;
  }

  private constructor(server: Devtools) {
    this.#server = server;
    this.#own.connect();
  }

  /** Profiles both sides while `work` lasts. */
  async around(work: () => Promise<void>): Promise<BothProfiles> {
    await this.#server.ask('Profiler.start');
    await this.#own.post('Profiler.start');
    await work();
    const { profile: client } = await this.#own.post('Profiler.stop');
    const { profile: server } = await this.#server.ask<{ profile: CpuProfile }>('Profiler.stop');
    return { client, server };
  }

  close(): void {
    this.#own.disconnect();
    this.#server.close();
  }
}
