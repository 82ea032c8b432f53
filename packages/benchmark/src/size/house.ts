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
import { fieldsOf, functionsIn } from './parsed.ts';

/** A row of the table: how large something is, may be and should be, and was when its budget was set. */
export interface HouseRow {
  readonly what: string;
  readonly must: number;
  readonly aim?: number;
  /** The size on 2026-11-28, before the core was written anew. */
  readonly before?: number;
  /** The largest size that the test allows: the present one. Lower it with the size, down to the budget. */
  readonly ceiling: number;
  readonly now: number;
}

const RPC = 'packages/rpc/src';

/**
 * Measures what the library weighs, from its sources: bundles in bytes after gzip, functions, lines, and fields. Needs
 * no build.
 */
export async function house(): Promise<readonly HouseRow[]> {
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
      ...{ ceiling: 16_800, now: gzipBytes(core) },
    },
    {
      ...{ what: 'client: with what Cap’n Web has', must: 12_000, aim: 10_000, before: 31_200 },
      ...{ ceiling: 25_650, now: gzipBytes(common) },
    },
    {
      ...{ what: 'client: everything', must: 16_000, aim: 13_500, before: 38_100 },
      ...{ ceiling: 26_800, now: gzipBytes(client) },
    },
    {
      ...{ what: 'codec: encode and decode, all types', must: 5500, aim: 4500, before: 7700 },
      ...{ ceiling: 7600, now: gzipBytes(codec) },
    },
    {
      ...{ what: 'codec: the common types', must: 3200, aim: 2500, before: 5200 },
      ...{ ceiling: 5480, now: gzipBytes(commonCodec) },
    },
    {
      ...{ what: 'server: everything', must: 24_000, aim: 18_500, before: 53_500 },
      ...{ ceiling: 43_200, now: gzipBytes(server) },
    },
    {
      ...{ what: 'functions in the client’s bundle', must: 300, aim: 240, before: 952 },
      ...{ ceiling: 628, now: functionsIn(client) },
    },
    {
      ...{ what: 'functions in the server’s bundle', must: 430, aim: 330, before: 1281 },
      ...{ ceiling: 980, now: functionsIn(server) },
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
      ...{ ceiling: 10_050, now: sources.reduce((sum, path) => sum + linesOf(join(ROOT, path)), 0) },
    },
    { what: `files in ${RPC}`, must: 75, aim: 55, before: 170, ceiling: 128, now: sources.length },
    { what: 'fields of a call', must: 8, before: 13, ceiling: 8, now: fieldsOf('Call', call) },
    { what: 'fields of a frame', must: 6, before: 16, ceiling: 6, now: fieldsOf('Frame', call) },
    {
      ...{ what: 'fields of a connection', must: 8, ceiling: 27 },
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

/** Counts the lines of a file that are neither empty nor part of a comment. */
function linesOf(path: string): number {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.filter((line) => !/^\s*($|\/\/|\/?\*)/.test(line)).length;
}
