export type { Fields, Follow, Identified, RecordTypes, StateChange } from './records.ts';
export { type Collection, type CollectionOptions, collection } from './server/collection.ts';
export { type CollectionsOf, State, type StateHost, type StateOptions, type View } from './server/state.ts';
