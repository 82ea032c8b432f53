import type { Transport } from '@lumenize/rpc';
import { valuesOf } from './frames.ts';

/** The way back from a session that frames are sent to by hand: what it answered, and how it closed. */
export function recordedTransport() {
  const entries: unknown[] = [];
  const closes: { code: number; reason: string }[] = [];
  const transport: Transport = {
    send: (frame) => void entries.push(...valuesOf(frame)),
    close: (code, reason) => void closes.push({ code, reason }),
  };
  return { entries, closes, transport };
}
