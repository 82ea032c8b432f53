import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, inject } from 'vitest';
import { type ServedWorker, serveWorker } from '../support/workerd.ts';
import { CAPN_WEB, CAPN_WEB_LACKS, connectCapnWeb } from './capnweb/client.ts';
import { registerCases } from './register.ts';
import { runCase } from './run-case.ts';

/** Many cases are waited for in vain; those that hold take no tenth of this. */
const TIMEOUT_MS = 3000;

// Only for the table: what another library does is no failure of this one.
describe.skipIf(!inject('contractTable'))("Cap'n Web", () => {
  let worker: ServedWorker;
  let instance = 0;

  beforeAll(async () => {
    worker = await serveWorker({
      main: fileURLToPath(new URL('capnweb/worker.ts', import.meta.url).href),
      compatibilityDate: '2026-10-15',
      objects: { CONTRACT: 'ContractCapnWeb' },
    });
  });
  afterAll(() => worker?.[Symbol.asyncDispose]());

  registerCases({ transport: "Cap'n Web 0.12", environment: 'Node' }, async (which) => {
    const started = performance.now();
    const outcome = await runCase(which, (options) => connectCapnWeb(worker.url(`/contract-${++instance}`), options), {
      library: CAPN_WEB,
      lacks: CAPN_WEB_LACKS,
      timeoutMs: TIMEOUT_MS,
    });
    if (performance.now() - started >= TIMEOUT_MS) {
      // The server may be what hangs, which is no fault of the cases that come after.
      await worker.kill();
      await worker.restart();
    }
    return outcome;
  });
});
