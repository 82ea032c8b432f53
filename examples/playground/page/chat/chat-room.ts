import { connection } from '@lumenize/rpc';
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Message } from '../../src/room/message.ts';
import type { RoomApi } from '../../src/room/room-api.ts';
import { openConnection, type PageConnection } from '../connection/page-connection.ts';
import { whileConnected } from '../connection/while-connected.ts';
import { keepOwnName, readOwnName } from './own-name.ts';

/** What was said while this page slept: the messages between those numbers. */
export interface Missed {
  readonly after: number;
  readonly upTo: number;
}

/** A room of the Worker, as the page has it. */
export interface ChatRoom {
  readonly connection: PageConnection<RoomApi>;
  /** The name that this page speaks under. */
  readonly name: ReadonlySignal<string>;
  /** In the order they were said; undefined until they are known. */
  readonly messages: ReadonlySignal<readonly Message[] | undefined>;
  readonly present: ReadonlySignal<readonly string[]>;
  readonly missed: ReadonlySignal<Missed | undefined>;
  readonly hasEarlier: ReadonlySignal<boolean>;
  loadEarlier(): Promise<void>;
  /** Rejects where it was not said, or where that is not known. */
  say(text: string): Promise<void>;
  rename(name: string): Promise<void>;
  /** Loses the connection, as a phone in a pocket does. */
  sleep(): void;
  wake(): Promise<void>;
  close(): void;
}

/** Enters a room, and follows what is said there over losses of the connection. */
export function enterRoom(roomName: string): ChatRoom {
  const name = signal(readOwnName());
  const messages = signal<readonly Message[] | undefined>();
  const present = signal<readonly string[]>([]);
  const missed = signal<Missed | undefined>();
  /** Whether nothing earlier is kept, though more was said. */
  const isWhole = signal(false);
  const opened = openConnection<RoomApi>('room', roomName, { token: () => name.peek() });
  const { stub, cable, state } = opened;

  async function read(): Promise<void> {
    // All in one frame, which the object handles in one go: nothing can be said between what was and what comes.
    const [entrance, said, changed] = await Promise.all([stub.enter(), stub.read(), stub.presence()]);
    // Where one of them fails, both are read anew.
    using events = said;
    using changes = changed;
    messages.value = entrance.messages;
    present.value = entrance.present;
    const reading = (async () => {
      for await (const item of events) {
        // More was said than the room retains for who is away: it is read anew.
        if (item.event === undefined) messages.value = (await stub.enter()).messages;
        else messages.value = [...(messages.value ?? []).filter(({ id }) => id < item.sequence), item.event];
      }
    })();
    const watching = (async () => {
      for await (const { event } of changes) if (event !== undefined) present.value = event;
    })();
    await Promise.all([reading, watching]);
  }

  void whileConnected(state, read);
  const lastId = () => messages.value?.at(-1)?.id ?? 0;
  return {
    connection: opened,
    name,
    messages,
    present,
    missed,
    hasEarlier: computed(() => !isWhole.value && (messages.value?.[0]?.id ?? 1) > 1),
    async loadEarlier() {
      const earlier = await stub.earlier(messages.value?.[0]?.id ?? 1);
      isWhole.value = earlier.length === 0;
      messages.value = [...earlier, ...(messages.value ?? [])];
    },
    async say(text) {
      await stub.say(text);
    },
    async rename(next) {
      keepOwnName(next);
      name.value = next;
      await connection(stub).authenticate();
      await stub.announce();
    },
    sleep() {
      missed.value = { after: lastId(), upTo: lastId() };
      cable.cut();
    },
    async wake() {
      cable.join();
      const after = missed.value?.after ?? lastId();
      const { sequence } = await stub.enter();
      missed.value = { after, upTo: sequence };
    },
    close: opened.close,
  };
}

/** The room of a component, for as long as that is on the page. */
export function useChatRoom(roomName: string): ChatRoom {
  const room = useMemo(() => enterRoom(roomName), [roomName]);
  useEffect(() => room.close, [room]);
  return room;
}
