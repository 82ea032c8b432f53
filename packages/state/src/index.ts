export type { Draft } from './client/draft.ts';
export { change, type FollowOptions, follow, type OpenState, type Values } from './client/follow.ts';
export type { StateStatus, StateStore, Unsaved } from './client/store.ts';
export type { Fields, Follow, Identified, RecordTypes, StateChange } from './records.ts';
