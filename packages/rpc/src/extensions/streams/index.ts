import type { RpcError } from '../../errors/rpc-error.ts';
import { readChannels } from '../../protocol/channel.ts';
import type { EntryValues, FrameEntries } from '../../protocol/frame-reader.ts';
import type { Message } from '../../protocol/message.ts';
import { ABORT_SIGNAL, CHANNELS, firstNumber, ITERABLE, PROMISE, READABLE, WRITABLE } from '../../protocol/tags.ts';
import type { Extension } from '../../session/extension.ts';
import { STREAM_LIMITS } from '../../session/limits.ts';
import { iterate } from '../../session/outgoing/stub.ts';
import type { Peer } from '../../session/peer.ts';
import { Channels } from './channels.ts';
import { KINDS } from './kinds.ts';

/** Passes streams, async iterables, promises and abort signals, in both directions. */
export const streams: Extension = {
  name: 'streams',
  limits: STREAM_LIMITS,
  iterate,
  frames: {
    [CHANNELS]: {
      read(frame: FrameEntries, peer: Peer, values: EntryValues): void {
        const channels = peer.state(Channels);
        readChannels(frame, values, (entry, cost) => channels.receive(entry, cost));
      },
      unreadable(peer: Peer, error: RpcError, message: Message): boolean {
        if (firstNumber(message) !== CHANNELS) return false;
        peer.state(Channels).unreadable(error);
        return true;
      },
    },
  },
  values: [
    {
      names: [READABLE, WRITABLE, PROMISE, ABORT_SIGNAL, ITERABLE],
      write(value: object, peer: Peer, isArgument: boolean) {
        const kind = KINDS.find((each) => each.is(value));
        return kind && peer.state(Channels).open(kind, value, isArgument);
      },
      read(name: string, parts: unknown[], peer: Peer, callId: number | undefined): unknown {
        return peer.state(Channels).revive(KINDS.find((each) => each.name === name)!, parts, callId);
      },
    },
  ],
};
