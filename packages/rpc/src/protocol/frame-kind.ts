// What a frame begins with where it is not what frames of its direction mostly are: calls from the client, results from
// the server. Those begin with an id, which is not negative.

/** Results from the client, or calls from the server, follow. */
export const REVERSED = -1;
/** A part of a frame that is too large for the transport: the number of parts that are still to come, and bytes. */
export const PART = -2;
/** Signals of channels follow, from either side: see `channel.ts`. They share no frame with calls, which can be refused as a whole. */
export const CHANNELS = -3;
/** A frame of calls follows that was sent before, over a connection that was lost: see `resent.ts`. From the client. */
export const RESENT = -4;
/** A new token of the client, over the connection that it has: see `token.ts`. */
export const TOKEN = -5;
/** The number under which a client sends its tokens: no call has it, and there is never more than one under way. */
export const TOKEN_CALL_ID = 0;
/** Events of a topic, from the server: see `topic.ts`. */
export const EVENTS = -6;
