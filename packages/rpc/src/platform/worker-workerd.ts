// The base classes for serving from a Worker. Bundlers for Workers choose this file by the condition `workerd`.
export { DurableObject, WorkerEntrypoint } from 'cloudflare:workers';
