export type { MemberDescription, TargetDescription } from '../protocol/description.ts';
export { describeFrame } from './describe-frame.ts';
export { type FetchDescriptionOptions, fetchDescription } from './fetch-description.ts';
export { formatFrame, formatValue } from './format-frame.ts';
export type {
  DescribedCall,
  DescribedChannelSignal,
  DescribedEvent,
  DescribedRecording,
  DescribedResent,
  DescribedResult,
  DescribedSignal,
  Direction,
  FrameDescription,
} from './frame-description.ts';
export { ByReference, type ReferenceKind } from './frame-description.ts';
export { type RecordedFrame, recordFrames } from './record-frames.ts';
