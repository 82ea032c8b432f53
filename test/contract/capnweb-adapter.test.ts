import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { type SharedWorker, sharedWorker } from '../support/shared-worker.ts';
import { CAPN_WEB, CAPN_WEB_LACKS, connectCapnWeb } from './capnweb/client.ts';
import { NOT_THROUGH_ADAPTER } from './capnweb/not-through-adapter.ts';
import { CASES } from './cases/all.ts';
import { registerCases } from './register.ts';
import { runCase } from './run-case.ts';

/** How long a case may take: less where it is known to be waited for in vain, which is tried for the table only. */
const TIMEOUT_MS = 30_000;
const IN_VAIN_MS = 3000;

describe("a client of Cap'n Web", () => {
  let worker: SharedWorker;
  let instance = 0;

  beforeAll(async () => {
    worker = await sharedWorker();
  });

  registerCases({ transport: "Cap'n Web 0.12 to this library", environment: 'Node' }, async (which) => {
    const reason = NOT_THROUGH_ADAPTER.get(`${which.part}: ${which.name}`);
    // For the table it is tried.
    if (reason !== undefined && !inject('contractTable')) return { status: 'does not apply', reason };
    const url = worker.url(`/capnweb/contract/${++instance}`);
    return runCase(which, (options) => connectCapnWeb(url, options), {
      library: CAPN_WEB,
      lacks: CAPN_WEB_LACKS,
      timeoutMs: reason === undefined ? TIMEOUT_MS : IN_VAIN_MS,
    });
  });

  test('lacks nothing here that it has with its own server', async () => {
    const names = new Set(CASES.map(({ part, name }) => `${part}: ${name}`));
    expect([...NOT_THROUGH_ADAPTER.keys()].filter((name) => !names.has(name))).toEqual([]);
    const [own, here] = (await heldByClient()).slice(-2);
    expect(own.size).toBeGreaterThan(100);
    expect([...own].filter((name) => !here.has(name))).toEqual([]);
  });
});

/** What holds by docs/contract.md over each transport, as columns stand there. */
async function heldByClient(): Promise<Set<string>[]> {
  const text = await readFile(new URL('../../docs/contract.md', import.meta.url), 'utf8');
  const columns: Set<string>[] = [];
  for (const section of text.split(/^## /m).slice(1)) {
    const rows = section.split('\n').filter((line) => line.startsWith('| '));
    for (const row of rows.slice(2)) {
      const [name, ...cells] = row.slice(2, -2).split(' | ');
      for (const [index, cell] of cells.entries()) {
        columns[index] ??= new Set();
        if (cell.startsWith('✓')) columns[index].add(`${section.split('\n')[0]}: ${name}`);
      }
    }
  }
  return columns;
}
