// What a client asks to learn whether its connection is still alive, and the answer: the only messages that are text, for
// the Workers runtime to answer them by itself, which it does for an exact text and without waking the object.

export const PING = 'ping';
export const PONG = 'pong';
