// What a client asks to learn whether its connection is still alive, and the answer: the only messages that are text, for
// the Workers runtime to answer them by itself, which it does for an exact text and without waking the object.

export const PING = 'ping';
export const PONG = 'pong';

// A server asks the same with a space and a name behind it, by whose return it knows that all before it has been read.

/** Makes the text by which a client is asked for a name. */
export function askFor(name: string): string {
  return `${PING} ${name}`;
}

/** Makes the answer to a text that asks for a name; undefined for any other. */
export function answerTo(text: string): string | undefined {
  return text.startsWith(`${PING} `) ? PONG + text.slice(PING.length) : undefined;
}

/** The name in such an answer; undefined where a text is none. */
export function answeredName(text: string): string | undefined {
  return text.startsWith(`${PONG} `) ? text.slice(PONG.length + 1) : undefined;
}
