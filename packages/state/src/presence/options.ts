import {
  type Caller,
  type ConnectedCaller,
  type DisconnectListener,
  RpcError,
  type StandardSchema,
  type Topic,
  type TopicOptions,
} from '@lumenize/rpc/server';

/** Options of a presence. */
export interface PresenceOptions<Fields extends object, Identity = unknown> {
  /** Name of the presence, and of its topic, if an object has several. @default 'presence' */
  readonly name?: string;
  /**
   * The fields that change rarely, such as a name or a colour. They are kept with the connection while the object
   * hibernates; all others are in memory only, and members send them again when somebody needs them.
   * @default none
   */
  readonly slow?: readonly (keyof Fields & string)[];
  /** Returns fields that the object knows of a caller, such as its name. Clients cannot change them. */
  readonly known?: ((caller: Caller<Identity>) => Partial<Fields>) | undefined;
  /** Returns the person that a caller is, such as the id of an account: the same text for all of its tabs. */
  readonly person?: ((caller: Caller<Identity>) => string | undefined) | undefined;
  /** Checks all that a member shows each time that it changes. It has to be synchronous. */
  readonly schema?: StandardSchema<Partial<Fields>> | undefined;
  /** Longest time until a page that has vanished is gone, in milliseconds. @default 45000 */
  readonly goneAfterMs?: number;
  /** The members that may be present at once. @default 1000 */
  readonly maxMembers?: number;
  /** The characters of JSON that a member may show. @default 1024 */
  readonly maxBytes?: number;
}

/** Returns options with their defaults. */
export function withDefaults<Fields extends object>({
  name = 'presence',
  slow = [],
  goneAfterMs = 45_000,
  maxMembers = 1000,
  maxBytes = 1024,
  ...others
}: PresenceOptions<Fields>) {
  return { name, slow, goneAfterMs, maxMembers, maxBytes, ...others };
}

/** The parts of an object's server that a presence needs. */
export interface PresenceHost {
  topic<Event>(name: string, options: TopicOptions): Topic<Event>;
  connections(): Iterable<ConnectedCaller>;
  watchDisconnects(listener: DisconnectListener): void;
}

/** Characters of a connection's random name that tell its members apart: 40 bits of it. */
const ID_LENGTH = 10;

/** Returns the id of the member that a connection is. */
export function idOf(connectionId: string): string {
  return connectionId.slice(0, ID_LENGTH);
}

/**
 * Returns the fields of a member with those that it has changed. They are JSON; one that becomes undefined is removed.
 * @throws {RpcError} `INVALID_ARGUMENTS` or `TOO_LARGE`, if they are not valid
 */
export function checkedFields<Fields extends object>(
  given: unknown,
  before: object,
  { schema, maxBytes }: Pick<PresenceOptions<Fields>, 'schema'> & { readonly maxBytes: number },
): object {
  let text: string;
  try {
    if (Object(given) !== given || Array.isArray(given)) throw new TypeError('they are no object');
    text = JSON.stringify({ ...before, ...(given as object) });
  } catch (error) {
    throw new RpcError('INVALID_ARGUMENTS', `the fields cannot be shown: ${(error as Error).message}`);
  }
  if (text.length > maxBytes) throw new RpcError('TOO_LARGE', `a member shows at most ${maxBytes} characters`);
  const fields: object = JSON.parse(text);
  const checked = schema?.['~standard'].validate(fields);
  if (checked === undefined) return fields;
  if (checked instanceof Promise) throw new TypeError('the schema of a presence has to be synchronous');
  if (checked.issues === undefined) return checked.value as object;
  const [{ message }] = checked.issues;
  throw new RpcError('INVALID_ARGUMENTS', message, { data: { issues: checked.issues } });
}
