import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleForBrowser, bundleForWorker, gzipBytes } from '@lumenize/hosts/browser-bundle';
import { ROOT } from '@lumenize/hosts/root';
import { SOURCES } from '../engine/bundle.ts';
import { ALONE, SIZED } from '../families/size.ts';
import type { Entered } from './entered.ts';
import type { HouseRow } from './house-row.ts';
import { packedRows } from './packed.ts';
import { fieldsOf, functionsIn } from './parsed.ts';
import { linesIn, repositoryRows } from './repository.ts';

const RPC = 'packages/rpc/src';

/**
 * Measures what the library and the repository weigh: bundles in bytes after gzip, functions, lines, and fields, from the
 * sources; files, words and names; and the packed package, which must have been built.
 */
export async function house(): Promise<readonly HouseRow[]> {
  const [library, packed] = await Promise.all([libraryRows(), packedRows()]);
  return [...library, ...packed, ...repositoryRows()];
}

async function libraryRows(): Promise<readonly HouseRow[]> {
  const [core, common, client, server, codec, commonCodec, entered] = await Promise.all([
    bundleForBrowser(ALONE['core alone'], SOURCES),
    bundleForBrowser(ALONE['what Cap’n Web has'], SOURCES),
    bundleForBrowser(SIZED.lumenize.client, SOURCES),
    bundleForWorker(SIZED.lumenize.server, [], SOURCES),
    bundleForBrowser(ALONE['encode and decode'], SOURCES),
    bundleForBrowser(ALONE['codec of the common types'], SOURCES),
    enteredByRead(),
  ]);
  const sources = globSync(`${RPC}/**/*.ts`, { cwd: ROOT });
  const source = (path: string) => readFileSync(join(ROOT, RPC, path), 'utf8');
  const call = source('peer/call.ts');
  return [
    {
      ...{ what: 'client: calls, chains, common values, recovery', must: 9000, aim: 7000, before: 17_100 },
      ...{ ceiling: 16_890, now: gzipBytes(core) },
    },
    {
      ...{ what: 'client: with what Cap’n Web has', must: 12_000, aim: 10_000, before: 31_200 },
      ...{ ceiling: 25_690, now: gzipBytes(common) },
    },
    {
      ...{ what: 'client: everything', must: 16_000, aim: 13_500, before: 38_100 },
      ...{ ceiling: 26_920, now: gzipBytes(client) },
    },
    {
      ...{ what: 'codec: encode and decode, all types', must: 5500, aim: 4500, before: 7700 },
      ...{ ceiling: 7000, now: gzipBytes(codec) },
    },
    {
      ...{ what: 'codec: the common types', must: 3200, aim: 2500, before: 5200 },
      ...{ ceiling: 5090, now: gzipBytes(commonCodec) },
    },
    {
      ...{ what: 'server: everything', must: 24_000, aim: 18_500, before: 53_500 },
      ...{ ceiling: 43_200, now: gzipBytes(server) },
    },
    {
      ...{ what: 'functions in the client’s bundle', must: 300, aim: 240, before: 952 },
      ...{ ceiling: 625, now: functionsIn(client) },
    },
    {
      ...{ what: 'functions in the server’s bundle', must: 430, aim: 330, before: 1281 },
      ...{ ceiling: 976, now: functionsIn(server) },
    },
    {
      ...{ what: 'functions that a read enters, on both sides', must: 40, aim: 32, before: 81 },
      ...{ ceiling: 76, now: entered.length },
    },
    {
      ...{ what: 'files of these functions', must: 14, aim: 10, before: 29 },
      ...{ ceiling: 23, now: new Set(entered.map(({ file }) => file)).size },
    },
    {
      ...{ what: `lines of code in ${RPC}`, must: 6500, aim: 5000, before: 14_497 },
      ...{ ceiling: 10_200, now: linesIn(sources) },
    },
    { what: `files in ${RPC}`, must: 75, aim: 55, before: 170, ceiling: 129, now: sources.length },
    { what: 'fields of a call', must: 8, before: 13, ceiling: 8, now: fieldsOf('Call', call) },
    { what: 'fields of a frame', must: 6, before: 16, ceiling: 6, now: fieldsOf('Frame', call) },
    {
      ...{ what: 'fields of a connection', must: 8, ceiling: 28 },
      now: fieldsOf('Peer', source('peer/peer.ts')) + fieldsOf('Client', source('client/client.ts')),
    },
  ];
}

/** Returns the functions that a read in memory enters, without its transport. */
async function enteredByRead(): Promise<readonly Entered[]> {
  const main = fileURLToPath(new URL('./entered.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [`--conditions=${SOURCES}`, main]);
  return JSON.parse(stdout);
}
