import * as v from 'valibot';
import type { Receiver } from '../work/work.ts';

/** Who a token is of, and what he or she may do. */
export interface User {
  readonly name: string;
  readonly permissions: readonly string[];
}

/** What a session is asked for with. */
export interface SessionRequest {
  readonly title: string;
  readonly agent: string;
}

/** What a request for a session has to look like: the same schema in every subject. */
export const SESSION_REQUEST: v.GenericSchema<SessionRequest> = v.object({
  title: v.pipe(v.string(), v.minLength(1), v.maxLength(100)),
  agent: v.picklist(['coder', 'writer']),
});

/** A session as it was made: what is stored, answered and told to everybody else. */
export interface Session extends SessionRequest {
  /** A UUID. */
  readonly id: string;
  readonly owner: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The gateway as a client has it who has shown a token. */
export interface GatewayConnection {
  /** Answers `pong`: the method has no state, and neither reads nor writes. */
  ping(): PromiseLike<string>;
  /** Returns the name of whose token was shown. */
  whoAmI(): PromiseLike<string>;
  createSession(request: SessionRequest): PromiseLike<Session>;
  /** Returns how many sessions are stored. */
  countSessions(): PromiseLike<number>;
  /** Resolves when the listener will be told of every session that somebody else makes from then on. */
  listen(listener: Receiver<Session>): Promise<void>;
  /** Closes the socket, without waiting for the other side. */
  close(): void;
}

/** The permission without which nobody makes a session. */
export const CREATE = 'sessions:create';

/** Whether this user may make sessions. */
export function mayCreate({ permissions }: User): boolean {
  return permissions.includes(CREATE);
}
