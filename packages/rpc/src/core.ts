import { all, common } from '@lumenize/structured-clone/messages';
import { RpcTarget } from '#platform';
import { clientOver } from './client/connect.ts';
import { absoluteUrl, type ConnectOptions } from './client/options.ts';
import { subscriptions as subscriptionFeature } from './client/subscriptions.ts';
import { type RpcError, refusal } from './errors.ts';
import { answersOver } from './peer/answers.ts';
import { bodies as bodyFeature } from './peer/bodies.ts';
import type { Feature } from './peer/options.ts';
import { mapping as mapFeature } from './peer/recording.ts';
import { references as referenceFeature } from './peer/references.ts';
import type { GivenSettings } from './peer/settings.ts';
import { streams as streamFeature } from './peer/streams.ts';
import type { OpenTransport } from './transport/transport.ts';
import { webSocketTransport } from './transport/websocket.ts';
import type { URL } from './types/platform.ts';
import type { Stub } from './types/stub.ts';

export { type Connection, connection, withOptions } from './client/connection.ts';
export type { ConnectOptions } from './client/options.ts';
export { RPC_ERROR_CODES, RpcError, type RpcErrorCode } from './errors.ts';
export type { OpenTransport, Transport, TransportEvents } from './transport/transport.ts';
export type { Received, RemoteMembers, RemotePromise, Sent, Stub } from './types/stub.ts';
export type { Recorded, Remote } from './types/value-kinds.ts';
export { RpcTarget };

/** A part that a connection of `connect()` has if it is listed in `with`. What no part needs, bundlers leave out. */
export interface Part {
  /** @internal */
  readonly features?: readonly Feature[];
  /** @internal What has to look at values before the features of other parts do. */
  readonly first?: Feature;
  /** @internal */
  readonly answering?: GivenSettings['answering'];
  /** @internal */
  readonly types?: GivenSettings['types'];
}

/** Passes targets, functions and signals by reference, in both directions. */
export const references: Part = { features: [referenceFeature], answering: answersOver };

/** Passes streams and async iterables, and references. */
export const streams: Part = { features: [referenceFeature, streamFeature], answering: answersOver };

/** Records the callbacks of `map` and `filter`, which then run on the server. */
export const mapping: Part = { first: mapFeature };

/** Receives the events of topics. */
export const subscriptions: Part = { features: [subscriptionFeature] };

/** Passes values of all types. Without it, values have those of the language: no URL, Headers or Blob. */
export const allTypes: Part = { features: [bodyFeature], types: all };

/** Options for connecting with some parts. */
export interface ConnectWithOptions extends ConnectOptions {
  /** What the connection can do beyond calls, chains and values of the language's types. @default nothing */
  with?: readonly Part[];
}

/**
 * Returns a stub for the target behind a URL, as `connect()` of `@lumenize/rpc` does, whose connection has only the
 * parts in `with`. What needs another part is refused, with an error that names it.
 * @throws {TypeError} if the URL is invalid, or a limit is not a number of 0 or more
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type argument the stub takes any call, as untyped code expects
export function connect<Api extends object = any>(url: string | URL, options?: ConnectWithOptions): Stub<Api> {
  const resolved = absoluteUrl(url, 'ws', 'connect');
  return connectOver(webSocketTransport(resolved), resolved, options);
}

/**
 * Returns a stub for the target behind your own transport, whose connection has only the parts in `with`. `description`
 * names the destination in messages.
 */
export function connectOver<Api extends object>(
  open: OpenTransport,
  description: string,
  { with: parts = [], ...options }: ConnectWithOptions = {},
): Stub<Api> {
  const features = new Set([
    ...parts.flatMap(({ first = [] }) => first),
    ...parts.flatMap(({ features = [] }) => features),
    missing(),
  ]);
  const answering = parts.find((part) => part.answering)?.answering;
  const types = parts.find((part) => part.types)?.types ?? common;
  return clientOver(open, description, options, { features: [...features], answering, types }).root() as Stub<Api>;
}

/** The parts that make values of marks. */
const NEEDED: Readonly<Record<string, string>> = {
  target: 'references',
  function: 'references',
  signal: 'references',
  stream: 'streams',
  'bytes-stream': 'streams',
  iterable: 'streams',
  sink: 'streams',
  topic: 'subscriptions',
};

/** Returns what refuses the values that no part of a connection has passed, and names the part that would. */
function missing(): Feature {
  const revive: Record<string, () => never> = {};
  for (const [mark, part] of Object.entries(NEEDED)) {
    revive[mark] = () => {
      throw needs('the result', part);
    };
  }
  return {
    pass(value) {
      if (typeof value === 'function' || value instanceof RpcTarget) throw needs('it', 'references');
      if (Symbol.asyncIterator in value || value instanceof WritableStream) throw needs('it', 'streams');
      return undefined;
    },
    revive,
  };
}

function needs(what: string, part: string): RpcError {
  return refusal(
    'NOT_CLONEABLE',
    `${what} cannot be passed: list "${part}" of @lumenize/rpc/core in the option "with"`,
  );
}
