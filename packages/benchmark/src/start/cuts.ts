import { expectAnswer } from '../scenarios/scenario.ts';
import type { Connection, Subject } from '../subjects/subject.ts';
import { CuttingProxy } from './cutting-proxy.ts';

const OBJECT = 'cut';

/** Cuts a fresh connection of `subject`, `times` times, and times how long its next call takes from then on. */
export function timeResumed(subject: Subject, url: string, times: number): Promise<number[]> {
  return timeAfterCuts(subject, url, times, async (connection) => {
    await read(connection);
    connection.close();
  });
}

/** The same of a new connection and its first call: what is left to a user whose library does not reconnect. */
export function timeNewSession(subject: Subject, url: string, times: number): Promise<number[]> {
  return timeAfterCuts(subject, url, times, async (old, connect) => {
    old.close();
    const connection = await connect();
    await read(connection);
    connection.close();
  });
}

async function timeAfterCuts(
  subject: Subject,
  url: string,
  times: number,
  work: (connection: Connection, connect: () => Connection | Promise<Connection>) => Promise<void>,
): Promise<number[]> {
  const proxy = await CuttingProxy.before(url);
  const connect = () => subject.connect(proxy.url, OBJECT);
  const samplesMs: number[] = [];
  try {
    for (let i = 0; i < times; i++) {
      const connection = await connect();
      await read(connection);
      const begun = performance.now();
      proxy.cut();
      await work(connection, connect);
      samplesMs.push(performance.now() - begun);
    }
  } finally {
    proxy.close();
  }
  return samplesMs;
}

async function read(connection: Connection): Promise<void> {
  expectAnswer('getValue', await connection.getValue(), 0);
}
