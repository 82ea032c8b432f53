export type { MemberDescription, TargetDescription } from '../protocol/http.ts';
export { describeFrame } from './describe-frame.ts';
export { type FetchDescriptionOptions, fetchDescription } from './fetch-description.ts';
export { formatFrame, formatValue } from './format-frame.ts';
export {
  ByReference,
  type DescribedCall,
  type DescribedChannelSignal,
  type DescribedEvent,
  type DescribedRecording,
  type DescribedResent,
  type DescribedResult,
  type DescribedSignal,
  type Direction,
  type FrameDescription,
  type ReferenceKind,
} from './frame-description.ts';
export { type RecordedFrame, recordFrames } from './record-frames.ts';
