import * as v from 'valibot';
import { mayCreate, SESSION_REQUEST, type Session, type User, verifyToken } from '../../src/gateway/gateway.ts';
import { type Connection, connectionOf, type Subject } from '../../src/subjects/subject.ts';
import type { Message, Receiver, Work } from '../../src/work/work.ts';
import { MapStorage, workOn } from '../../src/work/work.ts';

/** Sends an event to a subscriber, by default as it was published. */
export type Deliver = (to: Receiver, number: number, message: Message, subscriber: number) => void;
/** Tells a listener of a session, by default as it was made. */
export type Tell = (listener: Receiver<Session>, session: Session, place: number) => void;

/** What is to be otherwise than it should be. */
export interface Faults {
  /** Methods that are made anew for each connection. */
  readonly counter?: (state: { value: number }) => Partial<Work>;
  readonly connection?: Partial<Connection>;
  readonly work?: object;
  readonly publish?: Work['publish'];
  readonly deliver?: Deliver;
  readonly verify?: (token: string) => Promise<User | undefined>;
  readonly reply?: (session: Session) => Session;
  readonly tell?: Tell;
  readonly gateway?: Partial<Work>;
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
  let newest = 0;
  const publish: Work['publish'] = async (message) => {
    const number = ++newest;
    for (const [i, receiver] of receivers.entries()) deliver(receiver, number, message, i);
    return faults.publish ? faults.publish(message) : number;
  };
  const work = Object.assign(new WorkTarget(new MapStorage()), { ...counter, publish }, faults.work);
  const gatewayOf = (token: string) => {
    const user = verify(token).then((found) => found ?? Promise.reject(new Error('authentication failed')));
    user.catch(() => {});
    const gateway: Partial<Work> = {
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
      ...faults.gateway,
    };
    return gateway;
  };
  const subject: Subject = {
    name: 'raw',
    carrier: 'socket',
    connect(_baseUrl, _instance, token) {
      state.open++;
      state[token === undefined ? 'opened' : 'gateways']++;
      const own = token === undefined ? Object.assign(Object.create(work), faults.counter?.(state)) : gatewayOf(token);
      const connection = connectionOf(
        own,
        () => state.open--,
        async (receiver) => void (token === undefined ? receivers : listeners).push(receiver as never),
      );
      return { ...connection, ...faults.connection };
    },
  };
  return { subject, state, receivers, listeners, stored };
}
