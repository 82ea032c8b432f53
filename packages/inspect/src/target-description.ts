import { RpcError, RpcTarget } from '@lumenize/rpc';
import { type ConnectHttpOptions, connectHttp } from '@lumenize/rpc/http';

/** The members that a target declares and its caller can reach. */
export interface TargetDescription {
  /** The name of the target's class, which bundlers may have shortened. */
  readonly name: string;
  /** The target's methods and getters, in the order of their names. */
  readonly members: readonly MemberDescription[];
}

/** A method or getter that can be called remotely. */
export interface MemberDescription {
  /** The name of the member. */
  readonly name: string;
  /** The kind of the member: a method is called, a getter is read. */
  readonly kind: 'method' | 'getter';
  /** The member's options in the class's `static rpc`, by name, such as `exactlyOnce`, `guard` and `args`. */
  readonly options: readonly string[];
}

/** The getter that a target describes itself with. */
const GETTER = 'rpcDescription';
/** Names that no target's members are reached by, and that of the description itself. */
const HIDDEN: readonly string[] = ['constructor', '__proto__', 'then', 'toJSON', 'undefined', GETTER];

/**
 * Describes the methods and getters that a target's classes declare. Return it from a getter of the target, with the
 * name `rpcDescription`, to let its callers ask what they can call: `lumenize-rpc describe` does.
 */
export function describeTarget(target: RpcTarget): TargetDescription {
  const found = new Map<string, MemberDescription['kind'] | undefined>();
  const options: Record<string, Options> = {};
  for (let type = Object.getPrototypeOf(target); type instanceof RpcTarget; type = Object.getPrototypeOf(type)) {
    for (const [name, { value, get }] of Object.entries(Object.getOwnPropertyDescriptors(type))) {
      const kind = typeof value === 'function' ? 'method' : get && 'getter';
      // The most derived member wins, and hides others if it is neither.
      if (!found.has(name)) found.set(name, kind);
    }
    const declared = Object.hasOwn(type.constructor, 'rpc')
      ? (type.constructor as { rpc?: Record<string, Options> }).rpc
      : {};
    for (const [name, each] of Object.entries(declared ?? {})) options[name] = merged(each, options[name] ?? {});
  }
  const members = [...found].flatMap(([name, kind]): MemberDescription[] => {
    if (kind === undefined || HIDDEN.includes(name) || Object.hasOwn(target, name)) return [];
    const said = Object.entries(options[name] ?? {}).filter(([, value]) => value !== undefined && value !== false);
    return [{ name, kind, options: said.map(([option]) => option) }];
  });
  return { name: target.constructor.name, members: members.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/** The options that a class declares for a method. */
type Options = Readonly<Record<string, unknown>>;

/** Options of which a method can have one kind only. */
const AGAIN = ['restorable', 'readOnly', 'idempotent'];

/** Merges options with those of a subclass: a method is `exactlyOnce`, or may run again, as the subclass says. */
function merged(base: Options, own: Options): Options {
  const excluded = own.exactlyOnce ? AGAIN : AGAIN.some((name) => own[name]) ? ['exactlyOnce'] : [];
  return { ...Object.fromEntries(Object.entries(base).filter(([name]) => !excluded.includes(name))), ...own };
}

/** Options for `fetchDescription`. */
export type FetchDescriptionOptions = Pick<ConnectHttpOptions, 'token' | 'fetch'>;

/**
 * Fetches the description of an object from its URL: the members that its target declares for this caller. Returns
 * undefined unless the target describes itself, with `describeTarget`.
 * @throws {RpcError} `DENIED`, `NOT_FOUND` and the like if the server refuses, `NOT_EXECUTED` if it cannot be reached,
 *   `MALFORMED_FRAME` if its answer is not a description
 */
export async function fetchDescription(
  url: Parameters<typeof connectHttp>[0],
  options: FetchDescriptionOptions = {},
): Promise<TargetDescription | undefined> {
  const target = connectHttp<{ readonly [GETTER]: unknown }>(url, options);
  let description: unknown;
  try {
    description = await target[GETTER];
  } catch (error) {
    const { code, message } = error as RpcError;
    if (code === 'METHOD_NOT_FOUND') return undefined;
    // Reading has no effect of which anybody would have to know.
    throw code === 'OUTCOME_UNKNOWN' ? new RpcError('NOT_EXECUTED', message, { cause: error }) : error;
  }
  if (isDescription(description)) return description;
  throw new RpcError('MALFORMED_FRAME', `${url} answered with no description of a target`);
}

function isDescription(value: unknown): value is TargetDescription {
  const { name, members } = (value ?? {}) as Partial<TargetDescription>;
  const isText = (each: unknown) => typeof each === 'string';
  const isMember = ({ name, kind, options }: Partial<MemberDescription>) =>
    isText(name) && (kind === 'method' || kind === 'getter') && Array.isArray(options) && options.every(isText);
  return isText(name) && Array.isArray(members) && members.every((member) => isMember(member ?? {}));
}
