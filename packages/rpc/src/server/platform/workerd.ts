// The bases of what a Worker serves with. Bundlers for Workers choose this file by the condition `workerd`.
export { DurableObject, WorkerEntrypoint } from 'cloudflare:workers';
