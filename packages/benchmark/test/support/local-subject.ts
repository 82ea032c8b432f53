import * as v from 'valibot';
import {
  type GatewayConnection,
  mayCreate,
  SESSION_REQUEST,
  type Session,
  type User,
  verifyToken,
} from '../../src/gateway/gateway.ts';
import { type Connection, callEach, type Subject } from '../../src/subjects/subject.ts';
import type { EventsConnection, Message, Receiver, Work } from '../../src/work/work.ts';
import { MapStorage, workOn } from '../../src/work/work.ts';

/** Sends an event to a subscriber, by default as it was published. */
export type Deliver = (to: Receiver, number: number, message: Message, subscriber: number) => void;
/** Tells a listener of a session, by default as it was made. */
export type Tell = (listener: Receiver<Session>, session: Session, place: number) => void;

/** What is to be otherwise than it should be. */
export interface Faults {
  /** Methods that are made anew for each connection. */
  readonly counter?: (state: { value: number }) => Partial<Connection>;
  readonly work?: object;
  readonly publish?: EventsConnection['publish'];
  readonly deliver?: Deliver;
  readonly verify?: (token: string) => Promise<User | undefined>;
  readonly reply?: (session: Session) => Session;
  readonly tell?: Tell;
  readonly gateway?: Partial<GatewayConnection>;
}

export const plainly: { readonly deliver: Deliver; readonly tell: Tell } = {
  deliver: (to, number, message) => to.receive(number, message),
  tell: (listener, session) => listener.receive(0, session),
};

/** A subject without a wire that can do everything: what its objects return can be awaited like any promise. */
export function localSubject(faults: Faults = {}) {
  const { deliver, tell, verify = verifyToken } = { ...plainly, ...faults };
  const state = { value: 0, open: 0, opened: 0, gateways: 0 };
  const receivers: Receiver[] = [];
  const listeners: Receiver<Session>[] = [];
  const stored: Session[] = [];
  const WorkTarget = workOn(Object);
  const counter = {
    increment: async () => ++state.value,
    getValue: async () => state.value,
    async reset() {
      state.value = 0;
    },
  };
  const work = Object.assign(new WorkTarget(new MapStorage()), counter, faults.work) as unknown as Work;
  let newest = 0;
  const events: EventsConnection = {
    async publish(message) {
      const number = ++newest;
      for (const [i, receiver] of receivers.entries()) deliver(receiver, number, message, i);
      return faults.publish ? faults.publish(message) : number;
    },
    async subscribe(receiver) {
      receivers.push(receiver);
    },
  };
  const subject: Subject = {
    name: 'raw',
    carrier: 'socket',
    connect() {
      state.open++;
      state.opened++;
      const connection: Connection = {
        ...counter,
        incrementInOneTurn: (n) => callEach(n, () => connection.increment()),
        turn: async (calls) => calls(work),
        events,
        close: () => state.open--,
      };
      return Object.assign(connection, faults.counter?.(state));
    },
    connectAs(_baseUrl, _instance, token): GatewayConnection {
      state.open++;
      state.gateways++;
      const user = verify(token).then((found) => found ?? Promise.reject(new Error('authentication failed')));
      user.catch(() => {});
      return {
        ping: async () => 'pong',
        whoAmI: async () => (await user).name,
        async createSession(request) {
          const owner = await user;
          if (!mayCreate(owner)) throw new Error('denied');
          const made = { id: crypto.randomUUID(), owner: owner.name, createdAt: Date.now() };
          const session = { ...v.parse(SESSION_REQUEST, request), ...made };
          stored.push(session);
          for (const [i, listener] of listeners.entries()) tell(listener, session, i);
          return faults.reply?.(session) ?? session;
        },
        countSessions: async () => stored.length,
        async listen(listener) {
          listeners.push(listener);
        },
        close: () => state.open--,
        ...faults.gateway,
      };
    },
  };
  return { subject, state, receivers, listeners, stored };
}
