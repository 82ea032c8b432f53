import type { ClientHealth } from '../load/plan.ts';
import type { SubjectName } from '../subjects/subject.ts';

/** What Linux says of workerd at one number of connections. */
export interface MemoryPoint {
  readonly connections: number;
  readonly residentBytes: number;
  /** Files and sockets that the process has open. */
  readonly openFiles: number;
}

/** What one launch with connections that idle found. */
export interface IdleReading {
  readonly arm: string;
  readonly subject: SubjectName;
  readonly hibernates: boolean;
  readonly round: number;
  /** Before there was any connection. */
  readonly emptyBytes: number;
  readonly points: readonly MemoryPoint[];
  readonly startMs: number;
  readonly measuredMs: number;
  readonly client: ClientHealth;
}

/** What one launch under load found. */
export interface LoadReading {
  readonly subject: SubjectName;
  /** Before there was any connection. */
  readonly emptyBytes: number;
  /** The most that was ever resident, once the calls were over. */
  readonly peakBytes: number;
  /** What is left when garbage has been collected. */
  readonly afterBytes: number;
  readonly calls: number;
}
