import { connect } from '@lumenize/rpc';
import type { NotesApi } from './notes-api.ts';

using notes = connect<NotesApi>('ws://localhost:8787/rpc/notes/main');

const added = notes.added();
const [count, list] = await Promise.all([notes.add('call Ada'), notes.list()]); // one frame each way
console.log(count); // 2
console.log(list); // [ 'buy milk', 'call Ada' ]
for await (const { event } of added) {
  console.log(event); // call Ada
  break;
}
console.log(await notes.list().map((note) => ({ note }))); // [ { note: 'buy milk' }, { note: 'call Ada' } ]
