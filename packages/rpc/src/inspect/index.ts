export type { MemberDescription, TargetDescription } from '../protocol/description.ts';
export { ByReference, type ReferenceKind } from './by-reference.ts';
export { describeFrame } from './describe-frame.ts';
export { type FetchDescriptionOptions, fetchDescription } from './fetch-description.ts';
export { formatFrame } from './format-frame.ts';
export { formatValue } from './format-value.ts';
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
export { type RecordedFrame, recordFrames } from './record-frames.ts';
