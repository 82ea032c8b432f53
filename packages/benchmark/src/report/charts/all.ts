import type { ReportChart } from '../chart.ts';
import { FEATURES_CHART } from './features.ts';
import { HISTORY } from './history.ts';
import { KNEES } from './knees.ts';
import { LATENCY } from './latency.ts';
import { LINKS_CHART } from './links.ts';
import { MEMORY } from './memory.ts';
import { MODELLED } from './modelled.ts';
import { PROFILE, PROFILE_LARGE } from './profile.ts';
import { EVENTS, GATEWAY, PIPELINE, RATIOS, THROUGHPUT } from './ratios.ts';
import { SIZE_CHART } from './size.ts';
import { START_CHART } from './start.ts';
import { TRANSPORTS } from './transports.ts';
import { VALUES } from './values.ts';
import { BYTES, FRAMES } from './wire.ts';

/** Every chart, in the order of the page. */
export const CHARTS: readonly ReportChart[] = [
  ...[RATIOS, HISTORY, LATENCY, GATEWAY, KNEES, THROUGHPUT],
  ...[BYTES, FRAMES, LINKS_CHART, MODELLED],
  ...[PIPELINE, TRANSPORTS, EVENTS, VALUES],
  ...[MEMORY, START_CHART, SIZE_CHART, FEATURES_CHART, PROFILE, PROFILE_LARGE],
];
