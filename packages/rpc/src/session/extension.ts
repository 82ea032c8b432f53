import type { Node } from './outgoing/node.ts';

/** A capability beside the core. Its rows fill the tables by which a session reads, writes and makes calls. */
export interface Extension {
  /** The name by which it is imported, for errors of sessions that lack it. */
  readonly name: string;
  /** What it adds to making a call. */
  readonly call?: {
    /** Returns the arguments to send in place of those given. */
    prepare?: PrepareArguments;
  };
}

/** Returns the arguments to send of a call that `session` makes, in place of those given. */
export type PrepareArguments = (session: object, node: Node, args: unknown[]) => unknown[];

/** The rows of a session's extensions, put together once for all sessions that have the same. */
export interface ExtensionTables {
  readonly prepare: PrepareArguments | undefined;
}

/** Puts the rows of extensions together. */
export function tablesOf(extensions: readonly Extension[]): ExtensionTables {
  const prepares = extensions.flatMap(({ call }) => call?.prepare ?? []);
  const [only] = prepares;
  const inTurn: PrepareArguments = (session, node, args) =>
    prepares.reduce((given, prepare) => prepare(session, node, given), args);
  return { prepare: prepares.length > 1 ? inTurn : only };
}
