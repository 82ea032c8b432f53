// What the server takes from the Workers runtime. Bundlers for Workers choose this file by the condition `workerd`.
export { DurableObject, RpcTarget } from 'cloudflare:workers';
