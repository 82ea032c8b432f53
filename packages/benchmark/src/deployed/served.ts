import { randomUUID } from 'node:crypto';
import { SUBJECTS } from '../subjects/all.ts';
import type { Connection, SubjectName } from '../subjects/subject.ts';

/** A first request may have to start a Worker and an object, and a client may try more than once. */
const TIMEOUT_MS = 10_000;

/** What a deployed Worker serves beside the counter. */
export interface Served {
  /** Whether it has the methods of the family *pipeline*. */
  readonly pipeline: boolean;
}

/** Returns the origin of an address that somebody gave; throws where it is none, or one with a path. */
export function originOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new Error(`${address} is not an address such as https://lumenize.example.workers.dev`);
  }
  if (url.pathname !== '/' || url.search || url.hash) {
    throw new Error(`give the address of the Worker alone, ${url.origin}, and not ${address}`);
  }
  return url.origin;
}

/** Resolves when the Worker at `url` serves all `subjects`; rejects, and says why, when it does not. */
export async function assertServed(
  url: string,
  subjects: readonly SubjectName[],
  timeoutMs: number = TIMEOUT_MS,
): Promise<Served> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
  } catch (error) {
    throw new Error(`${url} does not answer: ${reasonOf(error)}`, { cause: error });
  }
  const instance = `check-${randomUUID()}`;
  const pipelines = await Promise.all(subjects.map((subject) => check(url, subject, instance, timeoutMs)));
  return { pipeline: pipelines.includes(true) };
}

/** Resolves with whether the subject has the methods of the family *pipeline*. */
async function check(url: string, subject: SubjectName, instance: string, timeoutMs: number): Promise<boolean> {
  let connection: Connection | undefined;
  const work = async () => {
    connection = await SUBJECTS[subject].connect(url, instance);
    const value: unknown = await connection.getValue();
    if (value !== 0) throw new Error(`a new counter read ${String(value)}`);
  };
  try {
    await within(timeoutMs, work());
    return await within(timeoutMs, hasPipeline(connection!));
  } catch (error) {
    const why = reasonOf(error);
    throw new Error(
      `${url} answers, but does not serve ${subject} (${why}): deploy this repository’s Worker there with npx wrangler deploy`,
      { cause: error },
    );
  } finally {
    connection?.close();
  }
}

async function hasPipeline({ turn }: Connection): Promise<boolean> {
  if (!turn) return false;
  try {
    return (await turn((work) => work.owner().profile().name)) === 'Ada';
  } catch {
    // The counter has no such methods, and every library says so in words of its own.
    return false;
  }
}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What is said of an error by the innermost one that says anything: that of fetch says only that it failed. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return (cause instanceof Error && (cause.message || (cause as { code?: string }).code)) || message;
}
