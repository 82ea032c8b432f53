import type { EarlierServer } from '../hosts/host.ts';
import type { SubjectName } from '../subjects/subject.ts';
import type { BlockTimes } from './block-times.ts';

/** A participant of the comparison. Two arms may have one subject: that is how the method is checked against itself. */
export interface Arm<Subject extends string = SubjectName> {
  readonly id: string;
  readonly subject: Subject;
}

/** How often a scenario is measured within one launch, and by whom. */
export interface ScenarioPlan<Subject extends string = SubjectName> {
  readonly scenario: string;
  readonly arms: readonly Arm<Subject>[];
  /** In a round every arm has its turn. */
  readonly rounds: number;
  /** How many of the rounds come in the first slot, which a launch has before anything else. @default 1 */
  readonly leading?: number;
  /** Whether a round goes through its arms a second time in reverse order, so that a steady drift cancels. */
  readonly mirrored: boolean;
  /** Takes part in this many launches, from the first on. @default all */
  readonly launches?: number;
}

/** All that the client process of one launch has to know; it is sent to it as JSON. */
export interface LaunchPlan {
  readonly url: string;
  readonly seed: number;
  readonly scenarios: readonly ScenarioPlan[];
  /** Warms every arm up until it is steady; a check that things work need not. */
  readonly warmUp: boolean;
  /** The scenario that it is warmed up with. @default that of the counter */
  readonly warmUpScenario?: string;
  /** No block of the warm-up is begun later than this after its start, but each arm's first. @default none */
  readonly warmUpLimitMs?: number;
  /** The server past the emulated link that is in front of it: the way of what is not timed. */
  readonly directUrl?: string;
  /** What the subject `earlier` calls, and with which client. */
  readonly earlier?: EarlierServer;
  /** Begins the names of all objects. @default '' */
  readonly names?: string;
  /** No round is begun later than this after the start; those of the first slot have half as long again. */
  readonly limitMs: number;
  /** The scenarios whose frames and bytes are counted at the end, untimed. */
  readonly countFrames: readonly string[];
}

/** The times of one block: one arm's turn in one round of one scenario. */
export interface Block extends BlockTimes {
  readonly scenario: string;
  readonly arm: string;
  readonly round: number;
  /** 1 where the round goes through its arms for the second time, in reverse. */
  readonly pass: 0 | 1;
}

/** What an arm cannot do, and why. */
export interface Unavailability {
  readonly scenario: string;
  readonly arm: string;
  readonly reason: string;
}

/** How long an arm took to become steady. */
export interface WarmUp {
  readonly arm: string;
  readonly blocks: number;
  readonly ms: number;
  readonly steady: boolean;
}

/** Frames and bytes, from the client up and to it down. */
export interface FrameCounts {
  readonly framesUp: number;
  readonly framesDown: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
}

/** What one sample of a scenario costs on the wire, without the WebSocket's own framing. */
export interface WireCost extends FrameCounts {
  readonly scenario: string;
  readonly arm: string;
}

/** How busy and how late the client process was while it measured. */
export interface ClientHealth {
  /** Share of the time in which the event loop was not idle. */
  readonly utilization: number;
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
}

/** All that one launch found out. */
export interface LaunchReport {
  readonly blocks: readonly Block[];
  readonly unavailable: readonly Unavailability[];
  readonly warmUps: readonly WarmUp[];
  readonly wire: readonly WireCost[];
  readonly client: ClientHealth;
}

/** What the process of a launch tells the one that started it. */
export type ClientMessage<Report = LaunchReport> =
  | { readonly type: 'progress'; readonly blocks: number }
  | { readonly type: 'report'; readonly report: Report }
  | { readonly type: 'failure'; readonly message: string };

/** Returns the number of blocks that the plan measures. */
export function plannedBlocks(scenarios: readonly ScenarioPlan<string>[]): number {
  return scenarios.reduce((sum, { arms, rounds, mirrored }) => sum + arms.length * rounds * (mirrored ? 2 : 1), 0);
}
