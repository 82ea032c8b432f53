// Entries of the library that subjects use and that are not there yet: to be deleted, one by one, when they are.
declare module '@lumenize/rpc/http' {
  export function connectHttp(url: string): Disposable;
}

declare module '@lumenize/rpc/port' {
  export function connectPort(port: MessagePort): Disposable;
  export function servePort(port: MessagePort, target: object): unknown;
}

declare module '@lumenize/rpc/binding' {
  export function connectBinding(stub: unknown): Disposable;
}
