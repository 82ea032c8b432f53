import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Message } from '../../src/room/message.ts';
import type { ChatRoom, Missed } from './chat-room.ts';

/** How far from its end a transcript may be scrolled, in pixels, to go on following what is said. */
const NEAR_END = 80;

/** What was said in a room. */
export function Transcript({ room, isShown }: { readonly room: ChatRoom; readonly isShown: boolean }) {
  const messages = room.messages.value;
  const missed = room.missed.value;
  const box = useFollowedEnd(messages, isShown);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard
    <div class="transcript" ref={box} role="log" aria-label="What was said" tabIndex={0}>
      {room.hasEarlier.value && (
        <button type="button" class="quiet" onClick={() => void room.loadEarlier().catch(() => {})}>
          Earlier
        </button>
      )}
      {messages?.length === 0 && <p class="note">Nothing has been said here yet.</p>}
      {messages?.map((message, place) => (
        <Said key={message.id} message={message} before={messages[place - 1]} missed={missed} own={room.name.value} />
      ))}
    </div>
  );
}

interface SaidProps {
  readonly message: Message;
  readonly before: Message | undefined;
  readonly missed: Missed | undefined;
  readonly own: string;
}

function Said({ message: { id, name, text, at }, before, missed, own }: SaidProps) {
  const begins =
    missed !== undefined && missed.upTo > missed.after && id > missed.after && (before?.id ?? 0) <= missed.after;
  const isSameSpeaker = before?.name === name && !begins;
  return (
    <>
      {begins && <p class="missed">{countMissed(missed)} while this page slept</p>}
      <p class={`line${isSameSpeaker ? ' same' : ''}${name === own ? ' own' : ''}`}>
        <b class={isSameSpeaker ? 'visually-hidden' : undefined}>{name}</b>
        <span>{text}</span>
        <time dateTime={at.toISOString()}>{at.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}</time>
      </p>
    </>
  );
}

function countMissed({ after, upTo }: Missed): string {
  return upTo - after === 1 ? 'One message' : `${upTo - after} messages`;
}

/** Keeps the end in view, unless somebody reads further up. */
function useFollowedEnd(messages: readonly Message[] | undefined, isShown: boolean) {
  const box = useRef<HTMLDivElement>(null);
  const wasNearEnd = useRef(true);
  const element = box.current;
  // Before the new ones are there, since they move the end.
  if (element) wasNearEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END;
  // Also when it comes into view: what is out of sight cannot be scrolled.
  useLayoutEffect(() => {
    if (wasNearEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [messages, isShown]);
  return box;
}
