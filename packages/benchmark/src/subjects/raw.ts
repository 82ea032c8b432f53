import { ClientByHand } from '../work/by-hand.ts';
import { callEach, connectionOf, type Subject, type SubjectName, type Subscribe, Unavailable } from './subject.ts';

/** Makes `n` increments within one turn, in the frames that a subject chooses. */
type Burst = (client: ClientByHand, n: number) => Promise<number[]>;

const aFrameEach: Burst = (client, n) => callEach(n, () => client.call<number>('increment'));

/** The methods that are called by hand. */
const METHODS = 'increment getValue reset noop insert rows publish ping whoAmI createSession countSessions';

/** Creates the subject that calls the counter and the gateway at `path` through the hand-written protocol. */
export function rawAt(name: SubjectName, path: string, burst: Burst = aFrameEach): Subject {
  return {
    name,
    carrier: 'socket',
    // The first frame carries the token together with its call.
    async connect(baseUrl, instance, token) {
      const url = `${baseUrl.replace('http', 'ws')}/${path}/${token === undefined ? 'counter' : 'gateway'}/${instance}`;
      const socket = new WebSocket(url);
      const client = new ClientByHand((frame) => socket.send(JSON.stringify(frame)), token);
      const opened = Promise.withResolvers<void>();
      socket.addEventListener('open', () => opened.resolve());
      socket.addEventListener('message', ({ data }) => client.hear(JSON.parse(data as string)));
      socket.addEventListener('close', () => {
        opened.reject(new Error(`no connection to ${url}`));
        client.end();
      });
      await opened.promise;
      // Each event has a frame of its own. The gateway sends events to every identified client, without a subscription.
      const subscribe: Subscribe = async (receiver) => {
        client.receiver = receiver;
        if (token === undefined) await client.call('subscribe');
      };
      const work = { ...client.stub(METHODS), owner: noChain, echo: (value: unknown) => echo(client, value) };
      const connection = connectionOf(work, () => socket.close(), subscribe);
      return { ...connection, incrementInOneTurn: (n) => burst(client, n) };
    },
  };
}

function noChain(): never {
  throw new Unavailable('nobody wrote calls that build on others');
}

/** Sends JSON as it is, and bytes as base64. */
async function echo(client: ClientByHand, value: unknown): Promise<unknown> {
  if (!(value instanceof Uint8Array)) return client.call('echo', value);
  const text = await client.call<string>('echo', Buffer.from(value).toString('base64'));
  return new Uint8Array(Buffer.from(text, 'base64'));
}

/** Hand-written JSON over a hibernating socket: the lower bound for the cost of a library. */
export const raw: Subject = rawAt('raw', 'raw');
/** `raw` without the compression that the platform adds to sockets by default. */
export const rawPlain: Subject = rawAt('raw-plain', 'raw-plain');
/** `raw-plain` as a package of one class, which is imported: what a library can reach. */
export const floor: Subject = rawAt('floor', 'raw-plain');
