import type { CounterImpl } from './counter-impl.ts';

interface RawRequest {
  id: number;
  m: string;
  a: unknown[];
}

type RawReply = { id: number; r: unknown } | { id: number; e: string };

/**
 * Answers one frame of the hand-written protocol: `{"id":1,"m":"increment","a":[1]}` with `{"id":1,"r":1}`, and an
 * array of such requests with an array of replies. It is the least that a JSON call can cost, hence the floor.
 */
export function answerRaw(counter: CounterImpl, frame: string | ArrayBuffer): string {
  if (typeof frame !== 'string') return JSON.stringify({ id: 0, e: 'a text frame was expected' });
  const message = JSON.parse(frame) as RawRequest | RawRequest[];
  return JSON.stringify(
    Array.isArray(message) ? message.map((request) => reply(counter, request)) : reply(counter, message),
  );
}

function reply(counter: CounterImpl, { id, m, a }: RawRequest): RawReply {
  switch (m) {
    case 'increment':
      return { id, r: counter.increment(a[0] as number | undefined) };
    case 'getValue':
      return { id, r: counter.getValue() };
    case 'reset':
      counter.reset();
      return { id, r: null };
    default:
      return { id, e: `no method named ${m}` };
  }
}
