import { env } from 'cloudflare:test';
import { connection } from '@lumenize/rpc';
import { connectToObject, hibernate } from '@lumenize/rpc/testing/workers';
import { expect, test } from 'vitest';
import type { ObjectWithoutSql } from './object-without-sql.ts';

const { WITHOUT_SQL } = env as unknown as { WITHOUT_SQL: DurableObjectNamespace<ObjectWithoutSql> };

test('an object without SQLite is served, also after hibernation', async () => {
  const object = WITHOUT_SQL.getByName('served');
  using stub = connectToObject(object);
  expect(await stub.add(3)).toBe(3);
  await hibernate(object);
  expect(await stub.add(4)).toBe(7);
  expect(connection(stub).statistics.reconnects).toBe(0);
});

test('what needs SQLite is refused there, and the connection stays', async () => {
  using stub = connectToObject(WITHOUT_SQL.getByName('refused'));
  const refused = expect.objectContaining({ message: expect.stringContaining('SQL is not enabled') });
  await expect(stub.addOnce(1)).rejects.toEqual(refused);
  await expect(stub.events()).rejects.toEqual(refused);
  expect(await stub.add(1)).toBe(1);
});
