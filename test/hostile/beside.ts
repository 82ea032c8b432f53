import { once } from 'node:events';
import { connectOver } from '@lumenize/rpc';
import { WebSocket } from 'ws';
import { BATCH_CONTENT_TYPE, writeBatch } from '../../packages/rpc/src/protocol/http.ts';
import type { Message } from '../../packages/rpc/src/protocol/message.ts';
import { CANCEL, STEPS } from '../../packages/rpc/src/protocol/signal.ts';
import { SUBPROTOCOL } from '../../packages/rpc/src/protocol/version.ts';
import { sequence } from '../../packages/rpc/test/support/frames.ts';
import type { ServedWorker } from '../support/workerd.ts';
import { Bystander } from './bystander.ts';
import { VICTIM_PATH } from './paths.ts';
import type { VictimTarget } from './victim-target.ts';

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
  const mapping = await frameOfMapping();
  const list = Array.from({ length: 100_000 }, (_, n) => n);
  const searched = Array.from({ length: 900 }, (_, place) => [place + 1, 'indexOf', [-1]]);
  const searches = sequence(1, [0, 'echo', [list]], ...searched, [STEPS, 0]);
  const cancels = sequence(1, ...Array.from({ length: 100_000 }, (_, id) => [CANCEL, id, 'CANCELLED']));
  const later = sequence(1, ...operations([0, 'echoLater', [1]]));
  return {
    'POST of 100 frames of 10,000 reads': () => post(url, readFrames(100)),
    '20 frames of 10,000 reads on a socket': () => bySocket(url, readFrames(20), 20 * FRAME_OPERATIONS),
    'map of 90,000 elements': () => bySocket(url, [mapping], 1000),
    '900 searches of a list of 100,000': () => bySocket(url, [searches], 1800),
    '100,000 CANCELs': () => bySocket(url, [cancels, sequence(1, [0, 'value'])], 1),
    '10,000 asynchronous calls': () => bySocket(url, [later], 2 * FRAME_OPERATIONS),
  };
}

const operations = (operation: unknown[]) => Array.from({ length: FRAME_OPERATIONS }, () => operation);

function readFrames(count: number): Message[] {
  return Array.from({ length: count }, (_, n) => sequence(1 + n * FRAME_OPERATIONS, ...operations([0, 'value'])));
}

/** The frame of a recorded callback, as a client writes it. */
async function frameOfMapping(): Promise<Message> {
  const sent = Promise.withResolvers<Message>();
  const stub = connectOver<VictimTarget>((events) => {
    queueMicrotask(() => events.opened());
    return { send: (frame) => sent.resolve(frame.slice()), close: () => {} };
  }, 'nobody');
  const list = stub.echo(Array.from({ length: 90_000 }, (_, n) => n)) as unknown as number[];
  void list.map((n) => [n, n, n]);
  return sent.promise;
}

async function post(url: string, frames: Message[]): Promise<string> {
  const body = writeBatch({ frames });
  const headers = { 'Content-Type': BATCH_CONTENT_TYPE };
  const response = await fetch(url.replace('ws:', 'http:'), { method: 'POST', headers, body });
  return `${response.status}, ${(await response.arrayBuffer()).byteLength} bytes`;
}

/** Sends frames over a socket, until so many bytes have come back, or the server has closed it. */
async function bySocket(url: string, frames: readonly Message[], until: number): Promise<string> {
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
