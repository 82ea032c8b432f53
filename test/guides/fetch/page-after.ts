import { connect, type RpcError } from '@lumenize/rpc';
import type { TodosApi } from './after.ts';

using todos = connect<TodosApi>('ws://localhost:8787/rpc/todos/ada');

const added = await todos.added();
const before = (await todos.list()).length;
console.log((await todos.add('call Bob')) - before); // 1
console.log((await added.next()).value?.event?.text); // call Bob
console.log((await todos.list()).at(-1)?.since instanceof Date); // true
const error: RpcError = await todos.add('').catch((reason) => reason);
console.log(error.code); // INVALID_ARGUMENTS
