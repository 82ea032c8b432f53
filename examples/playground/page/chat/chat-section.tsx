import type { SectionProps } from '../sections.ts';
import { ConnectionBadge } from '../ui/connection-badge.tsx';
import { OtherName } from '../ui/other-name.tsx';
import { Unreachable } from '../ui/unreachable.tsx';
import { useChatRoom } from './chat-room.ts';
import { Composer } from './composer.tsx';
import { OwnName } from './own-name-field.tsx';
import { Transcript } from './transcript.tsx';

export function ChatSection({ name, isShown }: SectionProps) {
  const room = useChatRoom(name);
  const { cable, state } = room.connection;
  const isAwake = cable.isJoined.value;
  return (
    <div class="chat">
      <div class="chat-room">
        <div class="chat-head">
          <h2>
            Room <q>{name}</q>
          </h2>
          <ConnectionBadge state={state} />
        </div>
        <Transcript room={room} isShown={isShown} />
        <Composer room={room} />
        <Unreachable connection={room.connection} />
      </div>
      <div class="chat-side">
        <div class="block">
          <h2 id="chat-present">Here now</h2>
          <ul class="chat-present" aria-labelledby="chat-present">
            {isAwake &&
              room.present.value.map((each) => (
                <li key={each}>
                  {each}
                  {each === room.name.value && <span class="note"> (you)</span>}
                </li>
              ))}
            {!isAwake && <li class="note">Who sleeps does not know.</li>}
          </ul>
        </div>
        <OwnName room={room} />
        <div class="block">
          <button type="button" aria-pressed={!isAwake} onClick={() => (isAwake ? room.sleep() : void wake(room))}>
            {isAwake ? 'Put this page to sleep' : 'Wake it up'}
          </button>
          <p class="note">
            Asleep, it has no connection, and the room goes on without it. Say something from a second tab, wake this
            one up, and what it has missed arrives.
          </p>
        </div>
        <div class="block">
          <OtherName section="chat" label="Another room" />
        </div>
      </div>
    </div>
  );
}

/** Without a connection for long, what was missed is not marked; it arrives nevertheless. */
function wake(room: ReturnType<typeof useChatRoom>): Promise<void> {
  return room.wake().catch(() => {});
}
