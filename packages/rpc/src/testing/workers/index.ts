export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from '../../client/types.ts';
export type { Recorded, Remote } from '../../protocol/value-kinds.ts';
export type { Fetches } from './connect.ts';
export { type ConnectToObjectOptions, connectToObject, connectToWorker, type ObjectOf } from './connect.ts';
export { crash, hibernate, type Opened, openObject, restart } from './open-object.ts';
