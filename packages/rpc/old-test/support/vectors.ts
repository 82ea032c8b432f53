import type { Message, Transport } from '@lumenize/rpc';
import { fromMessage, toMessage } from '@lumenize/structured-clone/messages';
import { expect } from 'vitest';
import type { Peer } from '../../src/transport/transport.ts';
import calls from '../vectors/calls.json' with { type: 'json' };
import channels from '../vectors/channels.json' with { type: 'json' };
import topics from '../vectors/topics.json' with { type: 'json' };

/**
 * Frames that answer each other, in the order in which they are sent. Each is a line: `up` or `down`, or `lost` for one down that
 * is lost with its connection, so that what follows goes over another; and then the frame: its text, and where bytes follow that, a plus
 * sign and these in hexadecimal. One that ends with `…` goes on as it likes: texts of errors are for people.
 */
export interface Vector {
  readonly name: string;
  /** What was said before, over the same connection. */
  readonly before?: readonly string[];
  readonly frames: readonly string[];
}

/** The frames that pin the wire, as docs/protocol.md and the pages about channels and topics explain them. They change only with the version of the protocol. */
export const VECTORS: Readonly<Record<'calls' | 'channels' | 'topics', readonly Vector[]>> = {
  calls,
  channels,
  topics,
};

/** A line of a vector, taken apart. */
export interface Line {
  readonly way: 'up' | 'down' | 'lost';
  readonly content: string;
}

export function readLine(line: string): Line {
  const [, way, content] = /^(up|down|lost) +(.+)$/.exec(line)!;
  return { way: way as Line['way'], content };
}

/** Writes a frame as the content of a line. */
export function contentOf(message: Message): string {
  const { text, tail } = fromMessage(message);
  return tail ? `${text} + ${Array.from(tail, twoDigits).join('')}` : text;
}

/** Reads the content of a line as a frame; where it goes on as it likes, as far as it is given. */
export function messageOf(content: string): Message {
  const [, text, hex] = /^(.*) \+ ([0-9a-f]+)$/.exec(content) ?? [];
  if (hex === undefined) return content.replace(/…$/, '');
  return toMessage(text, [Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))]);
}

/** Returns true if the content of a line is all of a frame. */
export function isWhole(content: string): boolean {
  return !content.endsWith('…');
}

/** Makes the other side of a connection. */
export type Serve = (channel: Transport) => Peer;

/** Makes servers that answer as many frames as they receive with what a vector has behind these. */
export function scripted(lines: readonly string[]): Serve {
  const left = lines.map(readLine);
  const receive = (channel: Transport) => {
    left.shift();
    while (left.length > 0 && left[0].way !== 'up') channel.send(messageOf(left.shift()!.content));
  };
  return (channel) => ({ receive: () => receive(channel), closed: () => {} });
}

/** Has servers read the frames of a vector that go up, and returns what they answer. */
export async function answersTo(lines: readonly string[], serve: Serve): Promise<Line[]> {
  const answers: Line[] = [];
  const connect = () => {
    return serve({ send: (frame) => answers.push({ way: 'down', content: contentOf(frame) }), close: () => {} });
  };
  let peer = connect();
  for (const { way, content } of lines.map(readLine)) {
    if (way === 'lost') peer = connect();
    if (way !== 'up') continue;
    peer.receive(messageOf(content));
    await new Promise((resolve) => setTimeout(resolve));
  }
  return answers;
}

/** The lines of a vector as they are expected; of what goes on as it likes, only how it begins. */
export function expected(lines: readonly string[]): unknown[] {
  return lines.map(readLine).map(({ way, content }) => {
    return { way, content: isWhole(content) ? content : expect.stringContaining(content.slice(0, -1)) };
  });
}

/** Those of a vector that go down, as a server says them that knows nothing of a loss. */
export function answersIn(lines: readonly string[]): string[] {
  return lines.filter((line) => !line.startsWith('up')).map((line) => line.replace(/^lost/, 'down'));
}

/** A vector of one frame up, and of what the server sends then, as contents of lines. */
export interface Exchange {
  readonly name: string;
  readonly up: string;
  readonly down: readonly string[];
}

export function exchangeOf({ name, frames }: Vector): Exchange {
  const [up, ...down] = frames.map((line) => readLine(line).content);
  return { name, up, down };
}

function twoDigits(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}
