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
    const ofScenario = blocks.filter((block) => block.scenario === scenario);
    const turnOf = ({ round, pass }: TimedBlock) => `${round}/${pass}`;
    const times = new Map(ofScenario.filter(({ arm }) => arm === subject).map((each) => [turnOf(each), each.totalMs]));
    const paired = ofScenario.filter((block) => block.arm === baseline && times.has(turnOf(block)));
    const rounds = Map.groupBy(paired, ({ round }) => round).values();
    return [...rounds].map((round) => round.map((block) => block.totalMs / times.get(turnOf(block))!));
  });
}
