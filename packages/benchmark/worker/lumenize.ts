import { type Caller, RpcObject, type RpcServerOptions, RpcTarget, type TopicOptions } from '@lumenize/rpc/server';
import * as v from 'valibot';
import { mayCreate, type Session, type User } from '../src/gateway/gateway.ts';
import { tracing } from '../src/subjects/tracing.ts';
import { type KeyValues, type Message, workOn } from '../src/work/work.ts';
import { Sessions } from './served.ts';

const Work = workOn(RpcTarget);

/** The work served by Lumenize RPC as it ships; its methods of the same names are for the platform's RPC. */
export class WorkLumenize extends RpcObject {
  readonly #events = this.topic<Message>('events', this.topicOptions());
  readonly #work = new Work(this.ctx.storage.kv as KeyValues);

  override target(): RpcTarget {
    const { kv, sql } = this.ctx.storage;
    return new Work(kv as KeyValues, { events: this.#events, sql });
  }

  /** How the topic keeps its events. */
  protected topicOptions(): TopicOptions {
    return {};
  }

  increment(by?: number): number {
    return this.#work.increment(by);
  }

  getValue(): number {
    return this.#work.getValue();
  }

  reset(): void {
    this.#work.reset();
  }

  echo(value: unknown): unknown {
    return this.#work.echo(value);
  }
}

/** The same with hibernation off, the socket kind that Cap'n Web uses. */
export class WorkLumenizeAccept extends WorkLumenize {
  override rpcOptions(): { hibernate: false } {
    return { hibernate: false };
  }
}

/** The same with a topic that stores a row for a hundred events, or each second's. */
export class WorkLumenizeBatches extends WorkLumenize {
  protected override topicOptions(): TopicOptions {
    return { persist: {} };
  }
}

/**
 * The gateway served by Lumenize RPC: who is calling is found out in the Worker, from the token of the upgrade; schema and
 * guard are declared; sessions are told by a topic, which stores the number of its newest event.
 */
export class GatewayLumenize extends RpcObject<unknown, User> {
  readonly #sessions = new Sessions(this.ctx.storage.sql, true);
  readonly #created = this.topic<Session>('created', { retain: 0 });

  override target({ identity: user }: Caller<User>): RpcTarget {
    const { kv } = this.ctx.storage;
    return new Work(kv as KeyValues, { events: this.#created, sessions: this.#sessions, user });
  }
}

/** The same with hibernation off, the socket kind that Cap'n Web uses. */
export class GatewayLumenizeAccept extends GatewayLumenize {
  override rpcOptions(): { hibernate: false } {
    return { hibernate: false };
  }
}

/** A guard looks at who is calling. */
const GUARD = { guard: ({ identity }: Caller<User>) => mayCreate(identity) };
/** A schema looks at the arguments. */
const SCHEMA = { args: [v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100))] };
/** The result is stored with the effect, until the client has it. */
const ONCE = { exactlyOnce: true };

/** Also the rate of a connection, which is limited unless one says otherwise, is not. */
const UNLIMITED: RpcServerOptions = { rateLimits: { connection: false } };

/** The limit of a connection that there is by default, and one for all of the same name: more than any block makes, since what is measured is to look, and not to refuse. */
const LIMITED: RpcServerOptions = {
  rateLimits: { identity: { operationsPerSecond: 1_000_000, burst: 1_000_000, by: nameOf } },
};

function nameOf({ identity }: Caller<User | undefined>): string {
  return identity?.name ?? 'anybody';
}

/** A class of objects, as the runtime makes them. */
type ObjectClass = new (...args: ConstructorParameters<typeof RpcObject>) => RpcObject;

/** Makes the object of a feature: what is said of `increment`, and what of the server. */
function feature(increment: object, options: () => RpcServerOptions = () => UNLIMITED): ObjectClass {
  /** A counter in an object's SQLite, of which nothing else is said. */
  class Target extends Work {
    static readonly rpc = { increment };
  }
  return class extends RpcObject {
    override target(): RpcTarget {
      return new Target(this.ctx.storage.kv as KeyValues);
    }

    override rpcOptions(): RpcServerOptions {
      return options();
    }
  };
}

export const FeatureBase: ObjectClass = feature({});
export const FeatureAuthentication: ObjectClass = feature(GUARD);
export const FeatureValidation: ObjectClass = feature(SCHEMA);
export const FeatureRateLimit: ObjectClass = feature({}, () => LIMITED);
export const FeatureExactlyOnce: ObjectClass = feature(ONCE);
export const FeatureTracing: ObjectClass = feature({}, () => ({ ...UNLIMITED, observe: tracing() }));
export const FeatureAll: ObjectClass = feature({ ...GUARD, ...SCHEMA, ...ONCE }, () => ({
  ...LIMITED,
  observe: tracing(),
}));
