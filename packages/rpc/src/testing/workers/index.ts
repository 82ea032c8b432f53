export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from '../../types/stub.ts';
export type { Recorded, Remote } from '../../types/value-kinds.ts';
export type { Fetches } from './connect.ts';
export { type ConnectToObjectOptions, connectToObject, connectToWorker, type ObjectOf } from './connect.ts';
export { crash, hibernate, type Opened, openObject, restart } from './open-object.ts';
