import { randomBytes } from 'node:crypto';
import { connect } from '@lumenize/rpc';
import { fromMessage } from '@lumenize/structured-clone/messages';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import { CLIENT_PREFIX, SUBPROTOCOL } from '../../packages/rpc/src/protocol.ts';
import type { ServedWorker } from '../support/workerd.ts';
import { VICTIM_PATH } from './paths.ts';
import type { VictimTarget } from './victim-target.ts';

/** What came of frames: their answers, as the wire has them, and how the server closed, if it did. */
export interface Answer {
  answers: unknown[];
  closed?: number;
}

/** What is attacked, and a client beside it that knows whether anything has happened to it. */
export class Victim {
  readonly worker: ServedWorker;
  readonly stub;
  /** A reference that is lost when the object ends. */
  readonly #child;

  constructor(worker: ServedWorker) {
    this.worker = worker;
    this.stub = connect<VictimTarget>(worker.url(VICTIM_PATH));
    this.#child = this.stub.child();
  }

  /** Sends frames over a socket of their own, and returns what came back until `count` answers have, or the socket is closed. */
  async send(frames: readonly (Uint8Array | string)[], count = 1): Promise<Answer> {
    const socket = new WebSocket(
      this.worker.url(VICTIM_PATH),
      [SUBPROTOCOL, `${CLIENT_PREFIX}${randomBytes(16).toString('hex')}.1.1`],
      { perMessageDeflate: false },
    );
    const answer: Answer = { answers: [] };
    await new Promise<void>((resolve, reject) => {
      socket.on('open', () => {
        for (const frame of frames) socket.send(frame);
      });
      socket.on('error', reject);
      socket.on('close', (code) => {
        answer.closed = code;
        resolve();
      });
      socket.on('message', (data: Buffer<ArrayBuffer>, isBinary) => {
        answer.answers.push(...answersIn(isBinary ? fromMessage(data).text : data.toString()));
        if (answer.answers.length >= count) resolve();
      });
    });
    socket.removeAllListeners('close');
    socket.terminate();
    return answer;
  }

  /** Runs an attack, and expects the object to be the same as before: nothing ran that counts, nothing ended. */
  async survives(attack: () => Promise<void>): Promise<void> {
    const value = await this.#child.value;
    await attack();
    expect(await this.#child.value).toBe(value);
    expect(await this.stub.add(1, 2)).toBe(3);
    expect(await this.stub.look({})).toEqual({ keys: [], isPlain: true, polluted: undefined });
  }

  [Symbol.dispose](): void {
    this.stub[Symbol.dispose]();
  }
}

/** The answers in a message, without their ids; also calls of the server, which nobody expects. Signals are no answers. */
function answersIn(text: string): unknown[] {
  const content = JSON.parse(text);
  if (!Array.isArray(content)) return [];
  const [id, ...answers] = content;
  if (id > 0) return [{ calls: answers }];
  return answers.filter((answer) => typeof answer?.$ !== 'number' || '!' in answer);
}
