import type { RpcError } from '../../errors/rpc-error.ts';
import { readChannels } from '../../protocol/channel.ts';
import type { EntryValues, FrameEntries } from '../../protocol/frame-reader.ts';
import { ABORT_SIGNAL, CHANNELS, ITERABLE, PROMISE, READABLE, WRITABLE } from '../../protocol/tags.ts';
import type { Extension, Made } from '../extension.ts';
import { STREAM_LIMITS } from '../limits.ts';
import { iterate } from '../outgoing/stub.ts';
import type { Peer } from '../peer.ts';
import { Channels } from './channels.ts';

/** Carries streams, async iterables, promises and signals over channels. */
export const STREAMS: Extension = {
  name: 'streams',
  limits: STREAM_LIMITS,
  iterate,
  frames: {
    [CHANNELS]: {
      read(frame: FrameEntries, session: Peer, values: EntryValues): void {
        const channels = session.state(Channels);
        readChannels(frame, values, (entry, cost) => channels.receive(entry, cost));
      },
      unreadable(session: Peer, error: RpcError): void {
        session.state(Channels).unreadable(error);
      },
    },
  },
  values: [
    {
      names: [READABLE, WRITABLE, ITERABLE, PROMISE, ABORT_SIGNAL],
      write(value: object, session: Peer, isArgument: boolean): Made | undefined {
        const name = channelName(value);
        return name === undefined ? undefined : session.state(Channels).open(name, value, isArgument);
      },
      read(name: string, parts: unknown[], session: Peer, callId: number | undefined): unknown {
        return session.state(Channels).revive(name, parts, callId);
      },
    },
  ],
};

/** The name of what stands for a value which travels over a channel; undefined for others. */
function channelName(value: object): string | undefined {
  if (value instanceof ReadableStream) return READABLE;
  if (value instanceof WritableStream) return WRITABLE;
  if (value instanceof Promise) return PROMISE;
  if (value instanceof AbortSignal) return ABORT_SIGNAL;
  return Symbol.asyncIterator in value ? ITERABLE : undefined;
}
