import { newWebSocketRpcSession } from 'capnweb';
import type { NotesApi } from './before.ts';

using notes = newWebSocketRpcSession<NotesApi>('ws://localhost:8787/capnweb/notes/main');

const heard = Promise.withResolvers<string>();
await notes.watch((text) => heard.resolve(text));
console.log(await notes.add('buy milk')); // 1
console.log(await heard.promise); // buy milk
console.log(await notes.list()); // [ 'buy milk' ]
console.log(await notes.list().map((note) => ({ note }))); // [ { note: 'buy milk' } ]
