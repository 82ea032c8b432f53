/** What a pair is made of: the time of one arm's turn, or of one operation in it, and where the turn stood. */
export interface TimedBlock {
  readonly scenario: string;
  readonly arm: string;
  readonly round: number;
  readonly pass: 0 | 1;
  readonly totalMs: number;
}

/** The ratios of one launch, baseline time over subject time: per round, one for each time it went through its arms. */
export type LaunchRatios = readonly (readonly number[])[];

/**
 * Pairs the blocks of two arms that ran in the same pass of the same round and divides their times, launch by launch. In
 * a mirrored round a steady drift of the machine's speed raises one ratio by what it takes from the other.
 */
export function pairedRatios(
  launches: readonly (readonly TimedBlock[])[],
  scenario: string,
  subject: string,
  baseline: string,
): LaunchRatios[] {
  return launches.map((blocks) => {
    const ofArm = (arm: string) => blocks.filter((block) => block.scenario === scenario && block.arm === arm);
    const subjectBlocks = new Map(ofArm(subject).map((block) => [`${block.round}/${block.pass}`, block.totalMs]));
    const rounds = new Map<number, number[]>();
    for (const { round, pass, totalMs } of ofArm(baseline)) {
      const subjectMs = subjectBlocks.get(`${round}/${pass}`);
      if (subjectMs === undefined) continue;
      const ratios = rounds.get(round) ?? [];
      ratios.push(totalMs / subjectMs);
      rounds.set(round, ratios);
    }
    return [...rounds.values()];
  });
}
