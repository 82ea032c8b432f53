import { once } from 'node:events';
import { WebSocket } from 'ws';
import { SUBPROTOCOL } from '../../packages/rpc/src/protocol.ts';
import type { ServedWorker } from '../support/workerd.ts';
import { frame, frameFrom, times } from './attack.ts';
import { Bystander } from './bystander.ts';
import { VICTIM_PATH } from './paths.ts';

const FRAME_OPERATIONS = 10_000;
/** How long the client that behaves is watched before each load, alone. */
const ALONE_MS = 1000;
/** A load that is not answered by then has been refused without a word. */
const PATIENCE_MS = 20_000;

/** How long the calls of a client that behaves took, in milliseconds, alone and beside a load. */
export interface Waits {
  readonly load: string;
  readonly tookMs: number;
  readonly calls: number;
  readonly medianMs: number;
  readonly longestMs: number;
  readonly longestAloneMs: number;
  /** What the load was answered with. */
  readonly answer: string;
  readonly wrong: readonly string[];
}

/** Puts one kind of load after the other on an object, as much as its limits allow, beside a client that behaves. */
export async function waitsBeside(worker: ServedWorker): Promise<Waits[]> {
  const url = worker.url(VICTIM_PATH);
  const loads = await makeLoads(url);
  await using bystander = await Bystander.start(url);
  const waits: Waits[] = [];
  for (const [load, put] of Object.entries(loads)) {
    await bystander.seen();
    await new Promise((resolve) => setTimeout(resolve, ALONE_MS));
    const alone = await bystander.seen();
    const start = performance.now();
    const answer = await put();
    const tookMs = performance.now() - start;
    const { calls, medianMs, longestMs, wrong } = await bystander.seen();
    waits.push({ load, tookMs, calls, medianMs, longestMs, longestAloneMs: alone.longestMs, answer, wrong });
  }
  return waits;
}

/** What one client can ask for at once. Each resolves when all of it has been answered. */
async function makeLoads(url: string): Promise<Record<string, () => Promise<string>>> {
  const list = times(90_000, (n) => n);
  const callback = JSON.stringify([[1], { $: [[{ $result: [0] }, { $result: [0] }]], of: [0] }]);
  const mapping = frame(['echo', [list], 'map', { $: [{ $callback: [callback] }] }]);
  const chain = frame([...times(90_000, () => ['self', []]).flat(), 'value']);
  const cancels = JSON.stringify({ cancel: times(100_000, (id) => [id, 'CANCELLED']).flat() });
  const again = { again: JSON.parse(readFrames(1)[0]), open: times(1_000_000, (id) => id), ms: 1 };
  const later = frame(...times(FRAME_OPERATIONS, () => ['echoLater', [1]]));
  return {
    'POST of 100 frames of 10,000 reads': () => post(url, readFrames(100)),
    '20 frames of 10,000 reads on a socket': () => bySocket(url, readFrames(20), 20 * FRAME_OPERATIONS),
    'map of 90,000 elements': () => bySocket(url, [mapping], 1000),
    'a chain of 90,000 calls': () => bySocket(url, [chain], 1),
    'a frame that is sent again with a million places': () => bySocket(url, [JSON.stringify(again)], FRAME_OPERATIONS),
    '100,000 cancellations': () => bySocket(url, [cancels, frame(['value'])], 1),
    '10,000 asynchronous calls': () => bySocket(url, [later], 2 * FRAME_OPERATIONS),
  };
}

function readFrames(count: number): string[] {
  return times(count, (n) => frameFrom(1 + n * FRAME_OPERATIONS, ...times(FRAME_OPERATIONS, () => ['value'])));
}

async function post(url: string, frames: readonly string[]): Promise<string> {
  const headers = { 'Content-Type': 'application/x-lumenize-rpc; version=3' };
  const response = await fetch(url.replace('ws:', 'http:'), { method: 'POST', headers, body: frames.join('\n') });
  return `${response.status}, ${(await response.arrayBuffer()).byteLength} bytes`;
}

/** Sends frames over a socket, until so many bytes have come back, or the server has closed it. */
async function bySocket(url: string, frames: readonly string[], until: number): Promise<string> {
  const socket = new WebSocket(url, [SUBPROTOCOL], { perMessageDeflate: false });
  await once(socket, 'open');
  let bytes = 0;
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const answer = await new Promise<string>((resolve) => {
    socket.on('message', (data: Buffer) => {
      bytes += data.length;
      if (bytes >= until) resolve(`${bytes} bytes`);
    });
    socket.on('close', (code) => resolve(`closed with ${code}`));
    patience.addEventListener('abort', () => resolve(`${bytes} bytes in ${PATIENCE_MS} ms`));
    for (const frame of frames) socket.send(frame);
  });
  socket.removeAllListeners('close');
  socket.terminate();
  return answer;
}
