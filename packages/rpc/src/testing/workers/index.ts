export { type ConnectToObjectOptions, connectToObject, connectToWorker, type ObjectOf } from './connect.ts';
export { crash, hibernate, restart } from './life-cycle.ts';
export { type Opened, openObject } from './open-object.ts';
export type { Fetches } from './upgrade-transport.ts';
