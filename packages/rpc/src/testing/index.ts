export { RpcTarget } from '#platform';
export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from '../client/types.ts';
export type { Direction } from '../inspect/frame-description.ts';
export type { RecordedFrame } from '../inspect/record-frames.ts';
export type { Recorded, Remote } from '../protocol/value-kinds.ts';
export { type TestConnection, type TestConnectionOptions, testConnection } from './test-connection.ts';
export type { HeldFrames } from './test-network.ts';
export { TestNetwork } from './test-network.ts';
