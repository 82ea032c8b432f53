import { delay } from '../delay.ts';
import { Audience } from '../events/audience.ts';
import type { Bench, Scenario } from '../scenarios/scenario.ts';
import type { Connection, Subject } from '../subjects/subject.ts';

/** Time for the close frames to pass, so that they are not part of the next block. */
const SETTLE_MS = 1;
const SETTLE_MS_PER_SUBSCRIBER = 0.2;

/** A bench that can be used for one block after the other until it is closed. */
export interface OpenBench extends Bench {
  /** Its connection, or another to the same object for what is not timed. */
  readonly aside: Connection;
  /** Closes all of its connections and waits until that has had its effect. */
  close(): Promise<void>;
}

/** Where a bench is connected to. */
export interface BenchPlace {
  readonly url: string;
  /** Where the same server is reached past an emulated link, by what is not timed. */
  readonly directUrl?: string | undefined;
  readonly instance: string;
}

/** Connects to an object, with the audience that a scenario has, if any. */
export async function openBench(
  { audience: size, sample }: Pick<Scenario, 'audience' | 'sample'>,
  subject: Subject,
  { url, directUrl, instance }: BenchPlace,
): Promise<OpenBench> {
  const open: { close(): void }[] = [];
  const connectTo = async (at: string) => {
    const connection = await subject.connect(at, instance);
    open.push(connection);
    return connection;
  };
  const close = async () => {
    for (const each of open) each.close();
    await delay(SETTLE_MS + SETTLE_MS_PER_SUBSCRIBER * (size ?? 0));
  };
  try {
    const past = directUrl === undefined ? undefined : await connectTo(directUrl);
    // Connections that are timed are opened by the scenario.
    const connection = past && sample === 'connection' ? past : await connectTo(url);
    const connect = () => subject.connect(url, instance);
    const audience = size === undefined ? undefined : await Audience.open(size, connection, connect);
    if (audience) open.push(audience);
    return {
      connection,
      aside: past ?? connection,
      connect,
      connectAs: subject.connectAs && ((token) => subject.connectAs!(url, instance, token)),
      audience,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
