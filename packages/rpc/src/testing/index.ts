export { RpcTarget } from '#platform';
export { type TestConnection, type TestConnectionOptions, testConnection } from './test-connection.ts';
export type { Direction, HeldFrames, RecordedFrame } from './test-network.ts';
export { TestNetwork } from './test-network.ts';
