import type { EarlierServer } from '@lumenize/hosts/host';
import { connect, type Subscription } from '@lumenize/rpc';
import type { GatewayConnection, Session } from '../gateway/gateway.ts';
import { tokensOf } from '../gateway/token.ts';
import type { EventsConnection, Lines, Message, Work } from '../work/work.ts';
import {
  type Connection,
  callEach,
  connectionOf,
  FEATURE_NAMES,
  type Feature,
  gatewayOf,
  type Subject,
  type SubjectName,
} from './subject.ts';

/** What a stub has, as far as it is called here. */
interface Methods {
  publish(message: Message): number;
  subscribe(): Subscription<Message>;
}

interface GatewayMethods {
  listen(): Subscription<Session>;
}

/**
 * Makes the subject that calls the counter behind `binding`, and the gateway behind another one, through Lumenize RPC, with
 * the client's defaults.
 */
export function lumenizeAt(name: SubjectName, binding: string, gateway?: string): Subject {
  return {
    name,
    carrier: 'socket',
    connect: (baseUrl, instance) => lumenizeConnection(connect, baseUrl, binding, instance),
    ...(gateway !== undefined && {
      connectAs: (baseUrl, instance, token) => lumenizeGateway(baseUrl, gateway, instance, token),
    }),
  };
}

/** Connects to the counter called `instance` by a client's own `connect`. */
export function lumenizeConnection(
  connectWith: typeof connect,
  baseUrl: string,
  binding: string,
  instance: string,
): Connection {
  const stub = connectWith<Methods>(`${baseUrl.replace('http', 'ws')}/rpc/${binding}/${instance}`);
  // A subscription to a topic, gone through in a loop.
  const events: EventsConnection = {
    publish: (message) => stub.publish(message),
    async subscribe({ receive, fail }) {
      readAll(await stub.subscribe(), ({ sequence, event }) => receive(sequence, event!)).catch(fail);
    },
  };
  return {
    ...connectionOf(stub, () => stub[Symbol.dispose]()),
    lines: stub as unknown as Lines,
    events,
  };
}

/** The gateway behind `binding`: the token goes with the upgrade, sessions are a topic. */
function lumenizeGateway(baseUrl: string, binding: string, instance: string, token: string): GatewayConnection {
  const stub = connect<GatewayMethods>(`${baseUrl.replace('http', 'ws')}/secure/${binding}/${instance}`, { token });
  return gatewayOf(
    stub,
    async ({ created, fail }) => void readAll(await stub.listen(), ({ event }) => created(event!)).catch(fail),
    () => stub[Symbol.dispose](),
  );
}

type Delivery<Event> = Subscription<Event> extends AsyncIterable<infer Item> ? Item : never;

/** Goes through a subscription; rejects where something was left out, and when it has ended. */
async function readAll<Event>(
  subscription: Subscription<Event>,
  receive: (delivery: Delivery<Event>) => void,
): Promise<never> {
  for await (const delivery of subscription) {
    if (delivery.event === undefined) throw new Error(`${delivery.missed} events were left out`);
    receive(delivery as Delivery<Event>);
  }
  throw new Error('the subscription has ended');
}

/** Lumenize RPC as it ships, over a hibernating socket. */
export const lumenize: Subject = lumenizeAt('lumenize', 'counter', 'gateway');

let connectEarlier: ((instance: string) => Connection) | undefined;

/** Loads the client of the earlier state of the code, which `earlier` then calls its own server with. */
export async function loadEarlier({ url, client }: EarlierServer): Promise<void> {
  const module = (await import(client)) as { connect: typeof connect };
  connectEarlier = (instance) => lumenizeConnection(module.connect, url, 'counter', instance);
}

/** Lumenize RPC as it was at an earlier commit, client and server: see `loadEarlier`. */
export const earlier: Subject = {
  name: 'earlier',
  carrier: 'socket',
  connect(_baseUrl, instance) {
    if (connectEarlier === undefined) throw new Error('no earlier state of the code was loaded');
    return connectEarlier(instance);
  },
};

const NEEDS_TOKEN: ReadonlySet<Feature> = new Set(['authentication', 'all']);
const IS_TRACED: ReadonlySet<Feature> = new Set(['tracing', 'all']);

/** Lumenize RPC with each feature alone, without any, and with all. */
export const FEATURE_SUBJECTS = Object.fromEntries(
  FEATURE_NAMES.map((feature) => [feature, subjectWith(feature)]),
) as Readonly<Record<Feature, Subject>>;

function subjectWith(feature: Feature): Subject {
  const hasToken = NEEDS_TOKEN.has(feature);
  const path = `${hasToken ? 'secure' : 'rpc'}/feature-${feature}`;
  return {
    name: feature,
    carrier: 'socket',
    async connect(baseUrl, instance): Promise<Connection> {
      // Loaded only here: no other subject is to be measured with OpenTelemetry beside it.
      const observe = IS_TRACED.has(feature) ? (await import('./tracing.ts')).tracing() : undefined;
      const token = hasToken ? (await tokensOf()).creator : undefined;
      const stub = connect<Work>(`${baseUrl.replace('http', 'ws')}/${path}/${instance}`, { token, observe });
      return {
        ...connectionOf(stub, () => stub[Symbol.dispose]()),
        // With an argument, also where nothing looks at it: the frames are the same for all.
        increment: () => stub.increment(1),
        incrementInOneTurn: (n) => callEach(n, () => stub.increment(1)),
      };
    },
  };
}
