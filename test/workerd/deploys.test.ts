import { env, runInDurableObject } from 'cloudflare:test';
import { connection, type RpcError, type Stub } from '@lumenize/rpc';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { IdentityObject, IdentityTarget } from './identity-object.ts';
import { connectToSelf } from './self-transport.ts';

const { IDENTITY } = env as unknown as { IDENTITY: DurableObjectNamespace<IdentityObject> };

function open(name: string, minDelayMs = 10): Stub<IdentityTarget> {
  const stub = connectToSelf<IdentityTarget>(`/identified/identity/${name}`, {
    token: 'Ada',
    reconnect: { minDelayMs, maxDelayMs: minDelayMs },
    maxWaitMs: 20_000,
  });
  onTestFinished(() => connection(stub).close());
  return stub;
}

const inObject = <Result>(name: string, job: (object: IdentityObject, state: DurableObjectState) => Result) =>
  runInDurableObject(IDENTITY.getByName(name), job as never) as Promise<Result>;

/** Ends the object as a deploy does. What it has stored stays, and the next class is made by it. */
async function deploy(name: string): Promise<void> {
  await expect(inObject(name, (_object, state) => state.abort('a deploy'))).rejects.toThrow('a deploy');
}

const codeOf = (call: PromiseLike<unknown>) =>
  Promise.resolve(call).then(
    () => 'ok',
    (error: RpcError) => error.code,
  );

/** Makes a call whose answer is lost, and installs another version of the class before it is sent again. */
async function callAcross(
  name: string,
  from: number,
  to: number,
  method: 'addAndEnd' | 'addAgainAndEnd' = 'addAndEnd',
): Promise<{ code: string; notes: string[] }> {
  await inObject(name, (object) => object.put('version', from));
  const stub = open(name, 60_000);
  expect(await stub.version()).toBe(from);
  const call = codeOf(stub[method]('added'));
  await vi.waitUntil(() => connection(stub).state === 'reconnecting');
  expect(await inObject(name, (object) => object.notes())).toEqual(['added by Ada']);
  await inObject(name, (object) => object.put('version', to));
  await deploy(name);
  connection(stub).open();
  expect(await stub.version()).toBe(to);
  return { code: await call, notes: await inObject(name, (object) => object.notes()) };
}

test('that add exactlyOnce do not run again what ran before', async () => {
  const { code, notes } = await callAcross('adds exactlyOnce', 1, 2);
  expect(notes).toEqual(['added by Ada']);
  expect(code).toBe('OUTCOME_UNKNOWN');
});

test('that keep exactlyOnce answer from the stored result', async () => {
  expect(await callAcross('keeps exactlyOnce', 2, 2)).toEqual({ code: 'ok', notes: ['added by Ada'] });
});

test('that remove exactlyOnce do not run again what ran before', async () => {
  const { code, notes } = await callAcross('removes exactlyOnce', 2, 1);
  expect(notes).toEqual(['added by Ada']);
  expect(['ok', 'OUTCOME_UNKNOWN']).toContain(code);
});

test('that add a guard do not say of a call that ran that it did not', async () => {
  const { code, notes } = await callAcross('adds a guard', 1, 2, 'addAgainAndEnd');
  expect(notes).toEqual(['added by Ada']);
  expect(code).toBe('OUTCOME_UNKNOWN');
});

test('that remove a method do not say of a call that ran that it did not', async () => {
  const { code, notes } = await callAcross('removes a method', 1, 3, 'addAgainAndEnd');
  expect(notes).toEqual(['added by Ada']);
  expect(code).toBe('OUTCOME_UNKNOWN');
});

test('whose target() throws for a time make clients try again', async () => {
  const stub = open('broken');
  await stub.whoAmI();
  await inObject('broken', (object) => object.put('broken', true));
  await deploy('broken');
  const call = codeOf(stub.addAgain('later'));
  // More than one attempt.
  const hasRetried = async () => Number(await inObject('broken', (object) => object.get('failed'))) > 1;
  await vi.waitUntil(hasRetried, { timeout: 2000 }).catch(() => {
    throw new Error(`the connection is ${connection(stub).state}: ${connection(stub).reason?.message}`);
  });
  await inObject('broken', (object) => object.put('broken', false));
  expect(await call).toBe('ok');
  expect(connection(stub).state).toBe('open');
});
