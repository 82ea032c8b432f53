import type { Storage } from './platform-types.ts';
import { saying, sleep } from './saying.ts';

/** What storage does. */
export const STORAGE_PROBES: Readonly<Record<string, (storage: Storage) => unknown>> = {
  sql: ({ sql }) => {
    const run = (text: string, ...values: unknown[]) =>
      saying(() => {
        const cursor = sql.exec(text, ...values);
        return [cursor.columnNames, cursor.toArray(), cursor.rowsWritten];
      });
    return [
      sql.exec('CREATE TABLE t (a TEXT, b INTEGER, c BLOB, PRIMARY KEY (a, b)) WITHOUT ROWID').toArray(),
      run('INSERT INTO t VALUES (?, ?, ?)', 'x', 1, new Uint8Array([1, 2]).buffer),
      run('INSERT INTO t VALUES (?, ?, ?), (?, ?, ?)', 'x', 2, null, 'y', 3.5, 'text'),
      run('SELECT a, b, typeof(b) AS t, typeof(c) AS u FROM t ORDER BY b'),
      run('SELECT ?1 AS a, ?2 AS b, ?1 AS c', 1, true),
      run('UPDATE t SET b = b + 10 WHERE a = ?', 'x'),
      run('DELETE FROM t WHERE a = ?', 'x'),
      run('DELETE FROM t WHERE a = ?', 'x'),
      run('INSERT OR REPLACE INTO t VALUES (?, ?, ?)', 'y', 3.5, 'more'),
      run('INSERT INTO t VALUES (?, ?, ?)', 'y', 3.5, 'again'),
      run('INSERT INTO t VALUES (?, ?, ?) RETURNING a, b', 'z', 7, null),
      run('SELECT * FROM missing'),
      run('SELECT missing FROM t').toString().slice(0, 30),
      run('SELECT FROM').toString().slice(0, 32),
      run('BEGIN').toString().slice(0, 40),
      run('SELECT 1 AS n; SELECT 2 AS n'),
      run('SELECT ? AS n', 1, 2),
      run('SELECT count(*) AS n FROM t').toString(),
      saying(() => sql.exec('SELECT * FROM t').one()),
      saying(() => sql.exec('SELECT * FROM t WHERE 0').one()),
      run("SELECT name FROM sqlite_master WHERE name = 't'"),
    ];
  },
  rollback: (storage) => {
    storage.kv.put('a', 1);
    const outcomes = [
      saying(() =>
        storage.transactionSync(() => {
          storage.kv.put('a', 2);
          throw new Error('told to');
        }),
      ),
      storage.kv.get('a'),
      storage.transactionSync(() => {
        storage.kv.put('a', 3);
        saying(() =>
          storage.transactionSync(() => {
            storage.kv.put('a', 4);
            throw new Error('told to');
          }),
        );
        return storage.kv.get('a');
      }),
      storage.kv.get('a'),
      storage.kv.get('none') ?? 'none',
      [...storage.kv.list({ prefix: 'a' })],
      saying(() => storage.kv.put('u', undefined)),
      saying(() => storage.kv.put('f', () => {}))
        .toString()
        .slice(0, 14),
    ];
    return outcomes;
  },
  transaction: async (storage) => {
    storage.kv.put('t', 1);
    const thrown = await storage
      .transaction(async (transaction) => {
        await transaction.put('t', 2);
        await sleep(5);
        throw new Error('told to');
      })
      .catch((error) => error.message);
    const afterThrow = storage.kv.get('t');
    await storage.transaction(async (transaction) => {
      await transaction.put('t', 3);
      transaction.rollback();
    });
    const afterRollback = storage.kv.get('t');
    await storage.transaction(async (transaction) => transaction.put('t', 4));
    return [thrown, afterThrow, afterRollback, storage.kv.get('t')];
  },
  'delete-all': async (storage) => {
    storage.kv.put('x', 1);
    storage.sql.exec('CREATE TABLE IF NOT EXISTS gone (a)');
    await storage.deleteAll();
    return [storage.kv.get('x') ?? 'none', saying(() => storage.sql.exec('SELECT * FROM gone').toArray())];
  },
};
