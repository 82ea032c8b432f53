import type { Mutant } from './mutant.ts';

const LINK = 'packages/rpc/src/client/link.ts';
const STORED_RESULTS = 'packages/rpc/src/server/delivery/stored-results.ts';
const SERVED_OBJECT = 'packages/rpc/src/server/served-object.ts';

/** Defects by which one user or client gets what belongs to another. */
export const IDENTITIES: readonly Mutant[] = [
  {
    name: 'a-stored-result-answers-the-call-of-another-client',
    file: STORED_RESULTS,
    find: "const query = 'SELECT payload, result FROM lumenize_rpc_results WHERE client = ? AND call = ?';",
    replace: "const query = 'SELECT payload, result FROM lumenize_rpc_results WHERE ? IS NOT NULL AND call = ?';",
  },
  {
    name: 'all-clients-have-the-same-name',
    file: LINK,
    find: 'name ??= newName();',
    replace: "name ??= 'the same name for all';",
  },
  {
    name: 'the-target-of-the-first-caller-serves-everybody',
    file: SERVED_OBJECT,
    find: 'const target = this.options.target(caller);',
    replace: 'const target = ((this as { one?: unknown }).one ??= this.options.target(caller)) as RpcTarget;',
  },
  {
    name: 'a-client-whose-object-has-too-much-to-do-gives-up-for-good',
    file: 'packages/rpc/src/client/loss.ts',
    find: 'const TEMPORARY: CodeTable<1> = { NOT_EXECUTED: 1, OVERLOADED: 1 }',
    replace: 'const TEMPORARY: CodeTable<1> = { NOT_EXECUTED: 1 }',
  },
];
