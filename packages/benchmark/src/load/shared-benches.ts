import type { Scenario } from '../scenarios/scenario.ts';
import { SUBJECTS } from '../subjects/all.ts';
import { Unavailable } from '../subjects/unavailable.ts';
import { attempt } from './attempt.ts';
import type { ObjectNames } from './object-names.ts';
import { type OpenBench, openBench } from './open-bench.ts';
import type { Arm } from './plan.ts';

/**
 * The benches that the blocks of a launch share: one with an audience for each arm, as long as scenarios with an audience of
 * that size follow one another. So that no block comes right after a thousand connections, all arms' are opened first.
 */
export class SharedBenches {
  readonly #url: string;
  readonly #instanceOf: ObjectNames;
  readonly #open = new Map<string, OpenBench>();
  #audience: number | undefined;

  constructor(url: string, instanceOf: ObjectNames) {
    this.#url = url;
    this.#instanceOf = instanceOf;
  }

  /** Closes those that `scenario` has no use for and opens those that it needs; returns why arms have none. */
  async prepare(scenario: Scenario, arms: readonly Arm[]): Promise<{ arm: string; reason: string }[]> {
    const unavailable: { arm: string; reason: string }[] = [];
    if (scenario.audience !== this.#audience) await this.close();
    this.#audience = scenario.audience;
    if (scenario.audience === undefined) return unavailable;
    for (const arm of arms) {
      if (this.#open.has(arm.id)) continue;
      const subject = SUBJECTS[arm.subject];
      try {
        const opening = openBench(scenario, subject, { url: this.#url, instance: this.#instanceOf(arm, true) });
        this.#open.set(arm.id, await attempt(scenario, subject, opening));
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        unavailable.push({ arm: arm.id, reason: error.message });
      }
    }
    return unavailable;
  }

  /** The one of an arm; undefined where each block has one of its own. */
  of(arm: Arm): OpenBench | undefined {
    return this.#open.get(arm.id);
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    await Promise.all(open.map((bench) => bench.close()));
  }
}
