export { RpcTarget } from '#platform';
export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from '../types/stub.ts';
export type { Recorded, Remote } from '../types/value-kinds.ts';
export { type TestConnection, type TestConnectionOptions, testConnection } from './test-connection.ts';
export type { Direction, HeldFrames, RecordedFrame } from './test-network.ts';
export { TestNetwork } from './test-network.ts';
