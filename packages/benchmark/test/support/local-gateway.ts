import * as v from 'valibot';
import {
  type GatewayConnection,
  mayCreate,
  SESSION_REQUEST,
  type Session,
  type SessionListener,
  type SessionRequest,
  type User,
} from '../../src/gateway/gateway.ts';
import { verifyToken } from '../../src/gateway/token.ts';
import type { Subject } from '../../src/subjects/subject.ts';
import { localSubject } from './local-subject.ts';

/** What is to be otherwise than it should be. */
export interface Faults {
  readonly verify?: (token: string) => Promise<User | undefined>;
  readonly reply?: (session: Session) => Session;
  readonly tell?: (listener: SessionListener, session: Session, place: number) => void;
  readonly methods?: Partial<GatewayConnection>;
}

/** A gateway without a wire. */
export function localGateway({ verify = verifyToken, reply = same, tell = plainly, methods = {} }: Faults = {}) {
  const stored: Session[] = [];
  const listeners: SessionListener[] = [];
  const state = { open: 0, connected: 0 };
  async function userOf(token: string): Promise<User> {
    const user = await verify(token);
    if (user === undefined) throw new Error('authentication failed');
    return user;
  }
  const subject: Subject = {
    ...localSubject().subject,
    connectAs(_baseUrl, _instance, token): GatewayConnection {
      state.open++;
      state.connected++;
      const user = userOf(token);
      user.catch(() => {});
      return {
        ping: async () => 'pong',
        whoAmI: async () => (await user).name,
        async createSession(request: SessionRequest) {
          const owner = await user;
          if (!mayCreate(owner)) throw new Error('denied');
          const session = {
            ...v.parse(SESSION_REQUEST, request),
            id: crypto.randomUUID(),
            owner: owner.name,
            createdAt: Date.now(),
          };
          stored.push(session);
          for (const [i, listener] of listeners.entries()) tell(listener, session, i);
          return reply(session);
        },
        countSessions: async () => stored.length,
        async listen(listener) {
          listeners.push(listener);
        },
        close: () => state.open--,
        ...methods,
      };
    },
  };
  return { subject, state, stored, listeners };
}

const same = (session: Session) => session;

/** Tells a listener what it is to hear. */
export function plainly(listener: SessionListener, session: Session): void {
  listener.created(session);
}
