// Exports for adapters that let clients of other protocols call the same targets, such as `@lumenize/capnweb`, and for
// libraries that keep values, such as `@lumenize/state`: the codec, of which a Worker needs no second copy.

export { encode, parse, stringify } from '@lumenize/structured-clone';
export { isNativeStub } from '#platform';
export { closeReason } from './closes.ts';
export { malformed, refusal } from './errors.ts';
export { isForbidden, isPlainData, isTarget } from './peer/members.ts';
export { AdaptedSession, type CallOut, closeCodeOf, type OutsidePlace } from './server/adapted-session.ts';
export { readBody } from './server/http-batch.ts';
export { declaredMember } from './server/members.ts';
export type { Answer, OtherProtocol } from './server/protocols.ts';
export { refuse } from './server/refusal.ts';
export type { SessionHost } from './server/session-host.ts';
export type { ServerSettings } from './server/settings.ts';
export { isSubscription } from './server/topics/topics.ts';
