/** How a run stands against one of the bars that the project has set itself. */
export interface BarResult {
  readonly name: string;
  readonly must: string;
  /** What is aimed at beyond that, and whether it is reached. */
  readonly aim?: string;
  readonly measured: string;
  readonly outcome: 'met' | 'met, but the interval reaches below' | 'missed' | 'no conclusion';
}
