import { fromMessage, type Message } from '@lumenize/structured-clone/messages';
import { Counted } from '../../src/server/backlog.ts';
import { newCaller } from '../../src/server/callers.ts';
import type { ServerOptions } from '../../src/server/server-options.ts';
import { Session } from '../../src/server/session.ts';
import { serverSettings } from '../../src/server/settings.ts';

/** Serves a target to frames that are written by hand. Keeps what it sends, and how it closes. */
export function serve(target: object, options: ServerOptions & { identity?: unknown } = {}) {
  const settings = serverSettings(options);
  const sent: Message[] = [];
  const closes: { code: number; reason: string }[] = [];
  const transport = {
    send: (message: Message) => void sent.push(message),
    close: (code: number, reason: string) => void closes.push({ code, reason }),
  };
  const counted = new Counted(transport, settings.limits.maxBytesInFlight);
  const session = new Session(settings, target, counted, { caller: newCaller(options.identity) });
  return {
    session,
    settings,
    sent,
    closes,
    /** Sends a message: a text, or a value as JSON. */
    send: (message: unknown) =>
      session.receive(
        typeof message === 'string'
          ? message
          : message instanceof Uint8Array
            ? (message as never)
            : JSON.stringify(message),
      ),
    /** The answers so far, by their ids: values, and codes of errors. */
    answers(): Map<number, unknown> {
      const answers = new Map<number, unknown>();
      for (const message of sent) {
        const content = JSON.parse(fromMessage(message).text);
        if (!Array.isArray(content) || content[0] > 0) continue;
        let id = -content[0];
        for (const answer of content.slice(1)) {
          if (typeof answer?.$ === 'number' && !('!' in answer)) id = answer.$;
          else answers.set(id++, answer?.['!'] === 1 ? (answer.$.$rpcError?.[0] ?? answer.$) : answer);
        }
      }
      return answers;
    },
  };
}

/** Waits until something is true, in events of their own. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2000; turn++) {
    if (isSo()) return;
    await new Promise((resolve) => setTimeout(resolve));
  }
  throw new Error('it has not happened within 2000 turns');
}
