export type { Fetches } from './connect.ts';
export { type ConnectToObjectOptions, connectToObject, connectToWorker, type ObjectOf } from './connect.ts';
export { crash, hibernate, type Opened, openObject, restart } from './open-object.ts';
