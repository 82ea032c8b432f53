import { useCall, useConnectionState, useRpc, useSubscription } from '@lumenize/react';
import { connection, type Stub, withOptions } from '@lumenize/rpc';
import {
  Activity,
  Component,
  isValidElement,
  type ReactNode,
  Suspense,
  use,
  useActionState,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { RoomApi } from './room-api.ts';

/** What every component is given. */
export interface RoomProps {
  readonly url: string;
  readonly id?: string;
}

/** The title, the messages and the state of a connection. */
export function Room({ url, id = 'room' }: RoomProps) {
  const room = useRpc<RoomApi>(url, { token: () => 'ada' });
  const { state } = useConnectionState(room);
  const title = useCall(room, 'title', (room) => room.title());
  const { items, latest, missed } = useSubscription(room, 'messages', (room, since) =>
    room.read({ since: since ?? 0 }),
  );
  return (
    <section id={id} data-state={state} data-missed={missed}>
      <h1>{title.value ?? '…'}</h1>
      <ol>
        {items.map(({ sequence, event }) => (
          <li key={sequence}>{event ?? 'a gap'}</li>
        ))}
      </ol>
      <output>{latest}</output>
      <Talk room={room} onRenamed={title.reload} />
    </section>
  );
}

/** Has a stub among its properties. */
function Talk({ room, onRenamed }: { room: Stub<RoomApi>; onRenamed: () => Promise<string> }) {
  const [error, rename, isPending] = useActionState(async (_before: string, form: FormData) => {
    try {
      await room.rename(String(form.get('title')));
      await onRenamed();
      return '';
    } catch (error) {
      return String(error);
    }
  }, '');
  return (
    <form action={rename}>
      <input name="title" aria-label="title" />
      <button type="submit" disabled={isPending}>
        Rename
      </button>
      <em>{error}</em>
      <button type="button" className="say" onClick={() => void room.say('hello')}>
        Say
      </button>
    </form>
  );
}

/** Two components that ask for the same connection. */
export function TwoRooms({ url, id = 'one' }: RoomProps) {
  const [isBoth, showBoth] = useState(true);
  return (
    <>
      <Room url={url} id={id} />
      {isBoth && <Room url={url} id="two" />}
      <button type="button" id="leave" onClick={() => showBoth(false)}>
        Leave
      </button>
    </>
  );
}

/** Is there, but hidden: what it has shown is kept, and its effects have ended. */
export function HiddenRoom({ url, isHidden }: RoomProps & { isHidden: boolean }) {
  return (
    <Activity mode={isHidden ? 'hidden' : 'visible'}>
      <Room url={url} />
    </Activity>
  );
}

/** When it is connected, mounts components that call, and tells how many frames that has taken. */
export function FramesOfRoom({ url, tell }: RoomProps & { tell: (frames: number) => void }) {
  const room = useRpc<RoomApi>(url);
  const { value } = useCall(room, 'connections', (room) => room.connections());
  const [framesBefore, setFramesBefore] = useState<number>();
  useEffect(() => {
    if (value !== undefined) setFramesBefore(connection(room).statistics.framesSent);
  }, [value, room]);
  const [shown, setShown] = useState(0);
  useEffect(() => {
    if (shown === 3 && framesBefore !== undefined) tell(connection(room).statistics.framesSent - framesBefore);
  }, [shown, framesBefore, room, tell]);
  if (framesBefore === undefined) return null;
  const show = () => setShown((before) => before + 1);
  return ['first', 'second', 'third'].map((key) => <Called key={key} room={room} id={key} show={show} />);
}

/** Has its calls and its subscription limited by options that are made anew with every rendering. */
export function LimitedRoom({ url }: RoomProps) {
  const room = useRpc<RoomApi>(url);
  const limited = withOptions(room, { timeoutMs: 30_000 });
  const { value } = useCall(limited, 'title', (room) => room.title());
  const { latest } = useSubscription(limited, 'messages', (room, since) => room.read({ since: since ?? 0 }));
  const renderings = useRef(0);
  renderings.current++;
  return (
    <section data-renderings={renderings.current}>
      <h1>{value ?? '…'}</h1>
      <output>{latest}</output>
    </section>
  );
}

function Called({ room, id, show }: { room: Stub<RoomApi>; id: string; show: () => void }) {
  const { value } = useCall(room, id, (room) => room.title());
  const isShown = useRef(false);
  useEffect(() => {
    if (value === undefined || isShown.current) return;
    isShown.current = true;
    show();
  }, [value, show]);
  return <p>{value}</p>;
}

/** Suspends until there is a title, and shows what is thrown. */
export function SuspendedRoom({ url }: RoomProps) {
  const [attempt, setAttempt] = useState(0);
  return (
    <Boundary key={attempt} retry={() => setAttempt(attempt + 1)}>
      <Suspense fallback={<p id="fallback">Loading …</p>}>
        <OwnTitle url={url} />
      </Suspense>
    </Boundary>
  );
}

function OwnTitle({ url }: RoomProps) {
  const room = useRpc<RoomApi>(url);
  const { promise, reload } = useCall(room, ['own', 'title'], (room) => room.ownTitle());
  const title = use(promise);
  return (
    <h2>
      {title}
      <button type="button" id="reload" onClick={() => void room.rename('new').then(reload)}>
        Reload
      </button>
    </h2>
  );
}

class Boundary extends Component<{ children: ReactNode; retry: () => void }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <button type="button" id="retry" onClick={this.props.retry}>
        {this.state.error.message}
      </button>
    );
  }
}

/** What became of a stub that went everywhere where React keeps or compares values. */
export interface Kept {
  effects: number;
  memos: number;
  same: boolean;
  framesSent: number;
}

/** Keeps a stub in state, in dependencies and in properties, and renders again. */
export function KeepsStub({ url, tell }: RoomProps & { tell: (kept: Kept) => void }) {
  const room = useRpc<RoomApi>(url);
  const [first] = useState(room);
  const [count, setCount] = useState(0);
  const [counts] = useState({ effects: 0, memos: 0 });
  useMemo(() => counts.memos++, [room, counts]);
  useEffect(() => void counts.effects++, [room, room.title, counts]);
  useEffect(() => {
    inspect(room);
    if (count < 3) setCount(count + 1);
    else tell({ ...counts, same: first === room, framesSent: connection(room).statistics.framesSent });
  }, [count, tell, counts, first, room]);
  return <Holder room={room} read={room.title} count={count} />;
}

/** Looks at a stub as tools for developers do. */
function inspect(stub: Stub<RoomApi>): void {
  console.log(stub, { stub }, [stub.title]);
  Object.prototype.toString.call(stub);
  JSON.stringify({ stub, text: String(stub) });
  for (const key in stub) throw new Error(`there is ${key}`);
  if (Reflect.ownKeys(stub).length > 0 || isValidElement(stub) || '$$typeof' in stub)
    throw new Error('it has something');
  structuredClone(Object.getOwnPropertyDescriptors(stub));
}

function Holder({ count }: { room: Stub<RoomApi>; read: unknown; count: number }) {
  return <p>{count}</p>;
}

/** What a server renders: with a value of its own, and without one. */
export function ServedRoom({ url, initial }: RoomProps & { initial: string }) {
  return (
    <main>
      <Room url={url} />
      <Suspense fallback={<p>Loading …</p>}>
        <ServedTitle url={url} initial={initial} />
      </Suspense>
    </main>
  );
}

function ServedTitle({ url, initial }: RoomProps & { initial: string }) {
  const room = useRpc<RoomApi>(url);
  const { promise } = useCall(room, 'served', (room) => room.title(), { initial });
  return <h3>{use(promise)}</h3>;
}

/** What a page can be told to show. */
/** A component that suspends until it has said something, with a stub of its own or one that it is given. */
function Says({ url, given }: { url: string; given?: boolean }) {
  const room = useRpc<RoomApi>(url);
  return (
    <Suspense fallback={<p id="waits">waiting</p>}>{given ? <Said room={room} /> : <SaysAlone url={url} />}</Suspense>
  );
}

function SaysAlone({ url }: { url: string }) {
  return <Said room={useRpc<RoomApi>(url)} />;
}

function Said({ room }: { room: Stub<RoomApi> }) {
  return <p id="said">{`${use(useCall(room, 'say', (room) => room.say('once')).promise)}`}</p>;
}

export const COMPONENTS = {
  Says,
  Room,
  TwoRooms,
  HiddenRoom,
  FramesOfRoom,
  SuspendedRoom,
  LimitedRoom,
  KeepsStub,
  ServedRoom,
};
