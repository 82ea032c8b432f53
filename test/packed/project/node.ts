// Usage: node node.ts <address of the Worker> <specifier…>
import { useCounter } from './client.ts';

const [url, ...specifiers] = process.argv.slice(2);
const failed: string[] = [];
for (const specifier of specifiers) {
  await import(specifier).catch((error: unknown) => failed.push(`${specifier}: ${error}`));
}
const { RpcError } = await import('@lumenize/rpc');
const server = await import('@lumenize/rpc/server');
const instance = `node-${process.versions.node}`;
const result = await useCounter(`${url}/rpc/counter/${instance}`.replace(/^http/, 'ws'));
console.log(JSON.stringify({ failed, same: RpcError === server.RpcError, result }));
