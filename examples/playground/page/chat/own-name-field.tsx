import { useSignal } from '@preact/signals';
import { callerName, MAX_NAME_LENGTH } from '../../src/room/caller-name.ts';
import type { ChatRoom } from './chat-room.ts';

/** The name that this page speaks under, and how to take another one. */
export function OwnName({ room }: { readonly room: ChatRoom }) {
  const error = useSignal('');

  async function rename(form: HTMLFormElement): Promise<void> {
    const name = callerName(String(new FormData(form).get('name')));
    if (name === undefined) {
      error.value = `A name has 1 to ${MAX_NAME_LENGTH} characters that can be seen.`;
      return;
    }
    error.value = '';
    try {
      await room.rename(name);
    } catch {
      error.value = 'The room does not know yet: there is no connection. It will, once there is one.';
    }
  }

  return (
    <form
      class="field block"
      onSubmit={(event) => {
        event.preventDefault();
        void rename(event.currentTarget);
      }}
    >
      <label for="chat-name">Your name</label>
      <div class="joined">
        <input
          id="chat-name"
          name="name"
          required
          maxLength={MAX_NAME_LENGTH}
          autocomplete="nickname"
          defaultValue={room.name.value}
          aria-describedby="chat-name-error"
        />
        <button type="submit">Take it</button>
      </div>
      <p id="chat-name-error" class="note" role="alert">
        {error}
      </p>
    </form>
  );
}
