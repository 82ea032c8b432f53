export { describeFrame } from './describe-frame.ts';
export { formatFrame } from './format-frame.ts';
export { formatValue } from './format-value.ts';
export {
  ByReference,
  type DescribedAgain,
  type DescribedAnswer,
  type DescribedCall,
  type DescribedCallback,
  type DescribedCalls,
  type DescribedEvents,
  type DescribedOperation,
  type DescribedSignal,
  type FrameContent,
  type FrameDescription,
  type ReferenceKind,
  type TopicPosition,
} from './frame-description.ts';
export { type Direction, type RecordedFrame, recordFrames } from './record-frames.ts';
export {
  describeTarget,
  type FetchDescriptionOptions,
  fetchDescription,
  type MemberDescription,
  type TargetDescription,
} from './target-description.ts';
