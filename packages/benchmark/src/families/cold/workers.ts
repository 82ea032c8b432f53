// What a server's bundle finds in Node in place of the runtime's own module, when importing it is timed.
export class RpcTarget {}
export class DurableObject {}
export class WorkerEntrypoint {}
export class RpcStub {}
export const env = {};
