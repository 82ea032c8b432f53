import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { MAX_TEXT_LENGTH } from '../../src/room/message.ts';
import type { ChatRoom } from './chat-room.ts';

/** Where one says something. */
export function Composer({ room }: { readonly room: ChatRoom }) {
  const field = useRef<HTMLInputElement>(null);
  const error = useSignal('');
  const isAwake = room.connection.cable.isJoined.value;

  async function say(): Promise<void> {
    const input = field.current!;
    const text = input.value.trim();
    if (text === '') return;
    input.value = '';
    error.value = '';
    try {
      await room.say(text);
    } catch (reason) {
      // What could not be said is there again, unless something else is being written by now.
      input.value ||= text;
      error.value = `This was not said: ${reason instanceof Error ? reason.message : reason}`;
    }
  }

  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        void say();
      }}
    >
      <label for="chat-text">Say something as {room.name}</label>
      <div class="joined">
        <input id="chat-text" ref={field} maxLength={MAX_TEXT_LENGTH} autocomplete="off" disabled={!isAwake} />
        <button type="submit" class="primary" disabled={!isAwake}>
          Say
        </button>
      </div>
      <p class="note" role="alert">
        {error}
      </p>
    </form>
  );
}
