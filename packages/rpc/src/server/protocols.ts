import type { Caller } from '../types/call-context.ts';
import { expiredError, isExpired } from './callers.ts';
import { errorOf, refuse } from './refusal.ts';
import type { Session } from './session.ts';
import type { SessionHost } from './session-host.ts';
import type { ServerSettings } from './settings.ts';

/** A protocol that a server answers besides this library's own. `capnWeb()` of `@lumenize/capnweb` makes one. */
export interface OtherProtocol {
  /** Returns how a request is answered; undefined for requests of other protocols. */
  answer(request: Request): Answer | undefined;
}

/** The way to answer a request. */
export interface Answer {
  /** True if the connection lasts: it counts as one of the object's, and may be refused if there are too many. */
  readonly lasts: boolean;
  /** Makes the session of the connection. It runs calls by the same rules as the library's own sessions. */
  open(settings: ServerSettings, target: object, host: SessionHost): Session;
  /** Called once the session counts. `ended` has to be called once, when the connection has ended. */
  respond(session: Session, ended: () => void): Response | Promise<Response>;
}

/** The server of an object or a Worker, as other protocols use it. */
export interface ProtocolHost {
  readonly settings: ServerSettings;
  readonly protocols: readonly OtherProtocol[] | undefined;
  /** Returns the caller of a request, as the Worker has identified it. */
  callerOf(request: Request): Caller;
  /** Makes a session. @throws {RpcError} with a message for the caller if there is no target, or no room */
  open(caller: Caller, answer: Answer): OpenedOther;
}

/** An open connection of another protocol. */
export interface OpenedOther {
  readonly session: Session;
  /** Has to be called once, when the connection has ended. */
  readonly ended: () => void;
}

/** Answers a request of another protocol; returns undefined if there is none that the request is of. */
export function answerOther(request: Request, host: ProtocolHost): Response | Promise<Response> | undefined {
  for (const protocol of host.protocols ?? []) {
    const answer = protocol.answer(request);
    if (answer === undefined) continue;
    const caller = host.callerOf(request);
    try {
      if (isExpired(caller)) throw expiredError();
      const { session, ended } = host.open(caller, answer);
      return answer.respond(session, ended);
    } catch (error) {
      return refuse(request, errorOf(error, 'target()'));
    }
  }
  return undefined;
}
