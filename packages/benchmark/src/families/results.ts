import type { LaunchRecord, SizeResult, TimeResult, UnavailableResult } from '../blocks/record.ts';
import type { CapacityLaunch, CapacityResult } from '../capacity/record.ts';
import type { SizeFigure } from '../size/size-figure.ts';
import type { CannotResult, CodecResult, ValuesLaunch } from '../values/record.ts';
import type { FigureResult } from './figure-result.ts';

/** A row of a run's file. */
export type Result =
  | TimeResult
  | UnavailableResult
  | SizeResult
  | FigureResult
  | CodecResult
  | CannotResult
  | SizeFigure
  | CapacityResult;

/** How one launch of any family went. */
export type FamilyLaunch = LaunchRecord | ValuesLaunch | CapacityLaunch;
