import { randomUUID } from 'node:crypto';
import { DeployedHost } from '@lumenize/hosts/deployed';
import { within } from '../blocks/block.ts';
import { type BlocksPlace, planBlocks } from '../blocks/blocks.ts';
import { expectOneOf } from '../engine/measure.ts';
import type { Family } from '../engine/plan.ts';
import { REMOTE_SCENARIOS } from '../scenarios/all.ts';
import { expectAnswer } from '../scenarios/scenario.ts';
import { SUBJECTS } from '../subjects/all.ts';
import { armsOf, CONTROL, MAIN_ARMS, REMOTE_ARMS } from '../subjects/arms.ts';
import type { SubjectName } from '../subjects/subject.ts';

/** The first request may have to start a Worker and an object, and a client may try more than once. */
const TIMEOUT_MS = 10_000;
/** The maximum number of rounds. The actual number depends on the round-trip time. */
const MOST_ROUNDS = 30;
const LIMIT_MS = 45_000;

/**
 * Creates the family of the calls of *links* to the Worker that is deployed at `address`. Rejects before anything is
 * measured if the address is invalid, does not answer, or does not serve `subjects`.
 */
export async function deployedFamily(address: string, wanted?: readonly string[]): Promise<Family> {
  const url = originOf(address);
  const names = MAIN_ARMS.map(({ subject }) => subject);
  const subjects: SubjectName[] = wanted
    ? wanted.map((each) => expectOneOf('subject of a deployed Worker', each, names))
    : REMOTE_ARMS.map(({ subject }) => subject);
  await assertServed(url, subjects);
  const place: BlocksPlace = {
    ...{ host: 'deployed', launches: 3, limitMs: LIMIT_MS },
    // One block each. More would only wait for the network, and cannot change whether the server is warm.
    warmUpLimitMs: 0,
    scenarios: REMOTE_SCENARIOS.map(({ name: scenario }) => ({
      ...{ scenario, arms: [...armsOf(...subjects), CONTROL], rounds: MOST_ROUNDS, leading: 2, mirrored: false },
    })),
  };
  return {
    name: 'deployed',
    about: 'calls, turns and connections to a Worker that was deployed',
    subjects,
    hosts: ['deployed'],
    configuration: [
      'A Worker that was deployed from this repository, at an address that is not recorded; its code is that of the commit that was deployed, which need not be this one',
      'Each launch has a fresh client process and objects of new names; the server is one and the same, with whatever else its machines do',
      'Times are the client’s alone: clocks in deployed Workers stand still but for I/O, so that what happens between two requests cannot be timed there',
      'Chains need packages/benchmark/worker/wrangler.toml, the Worker of the family pipeline: that of the counter has none',
      'A block has a fresh connection, whose object has been written to and read before; what is timed includes the network, TLS and the way from the data centre to the object’s',
    ],
    plan: (extent) =>
      planBlocks(
        {
          ...{ budgetMs: 150_000, latestMs: 180_000, places: [place] },
          hosts: async () => () => new DeployedHost(url),
        },
        extent,
      ),
  };
}

/** Returns the origin of an address. Throws if it is not an address, or has a path. */
function originOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new Error(`${address} is not an address such as https://lumenize.example.workers.dev`);
  }
  if (url.pathname !== '/' || url.search || url.hash) {
    throw new Error(`give the address of the Worker alone, ${url.origin}, and not ${address}`);
  }
  return url.origin;
}

/** Resolves if the Worker at `url` serves all `subjects`. Otherwise rejects with the reason. */
export async function assertServed(
  url: string,
  subjects: readonly SubjectName[],
  timeoutMs: number = TIMEOUT_MS,
): Promise<void> {
  const answered = fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).then(({ body }) => body?.cancel());
  await answered.catch(rethrow((why) => `${url} does not answer: ${why}`));
  const instance = `check-${randomUUID()}`;
  const check = async (subject: SubjectName) => {
    const connecting = (async () => SUBJECTS[subject].connect(url, instance))();
    const read = connecting.then(async ({ work }) => expectAnswer('a new counter', await work.getValue(), 0));
    const told = (why: string) =>
      `${url} answers, but does not serve ${subject} (${why}): deploy this repository’s Worker there with npx wrangler deploy`;
    await within(timeoutMs, read)
      .catch(rethrow(told))
      .finally(
        () =>
          void connecting.then(
            (connection) => connection.close(),
            () => {},
          ),
      );
  };
  await Promise.all(subjects.map(check));
}

/** Returns a function that throws an error with another message. */
function rethrow(told: (why: string) => string): (cause: unknown) => never {
  return (cause) => {
    throw new Error(told(reasonOf(cause)), { cause });
  };
}

/** Returns the message of the innermost error that has one. That of `fetch` only says that it failed. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  return (cause instanceof Error && (cause.message || (cause as { code?: string }).code)) || message;
}
