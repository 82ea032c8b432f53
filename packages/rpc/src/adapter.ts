// Exports for adapters that let clients of other protocols call the same targets, such as `@lumenize/capnweb`.

export { isNativeStub } from '#platform';
export {
  CLOSE_EXPIRED,
  CLOSE_INTERNAL,
  CLOSE_MALFORMED,
  CLOSE_POLICY,
  CLOSE_TOO_LARGE,
  closeReason,
} from './closes.ts';
export { exceeded, malformed, refusal } from './errors.ts';
export type { Caller, RunningCall } from './peer/context.ts';
export { declaredMember, isForbidden, isPlainData, isTarget } from './peer/members.ts';
export { AdaptedSession, type CallOut, type OutsidePlace } from './server/adapted-session.ts';
export { expiredError, isExpired } from './server/callers.ts';
export { readBody } from './server/http-batch.ts';
export type { Answer, OtherProtocol } from './server/protocols.ts';
export { type Bucket, take } from './server/rates.ts';
export { refuse } from './server/refusal.ts';
export { asFrameError } from './server/report.ts';
export type { SessionHost } from './server/session-host.ts';
export type { ServerSettings } from './server/settings.ts';
export { isSubscription } from './server/topics/topics.ts';
