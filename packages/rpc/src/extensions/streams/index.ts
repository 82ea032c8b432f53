import type { Reviver } from '@lumenize/structured-clone/messages';
import type { RpcError } from '../../errors/rpc-error.ts';
import { readChannels } from '../../protocol/channel.ts';
import type { FrameEntries } from '../../protocol/frame-reader.ts';
import type { Message } from '../../protocol/message.ts';
import { ABORT_SIGNAL, CHANNELS, firstNumber, ITERABLE, PROMISE, READABLE, WRITABLE } from '../../protocol/tags.ts';
import type { Extension } from '../../session/extension.ts';
import { STREAM_LIMITS } from '../../session/limits.ts';
import { iterate } from '../../session/outgoing/stub.ts';
import type { Session } from '../../session/session.ts';
import { Channels } from './channels.ts';
import { KINDS } from './kinds.ts';

/** Passes streams, async iterables, promises and abort signals, in both directions. */
export const streams: Extension = {
  name: 'streams',
  limits: STREAM_LIMITS,
  iterate,
  frames: {
    [CHANNELS]: {
      read(frame: FrameEntries, peer: Session, values: Reviver): void {
        const channels = peer.state(Channels);
        readChannels(frame, values, (entry, cost) => channels.handleSignal(entry, cost));
      },
      unreadable(peer: Session, error: RpcError, message: Message): boolean {
        if (firstNumber(message) !== CHANNELS) return false;
        peer.state(Channels).unreadable(error);
        return true;
      },
    },
  },
  values: [
    {
      names: [READABLE, WRITABLE, PROMISE, ABORT_SIGNAL, ITERABLE],
      write(value: object, peer: Session, isArgument: boolean) {
        const kind = KINDS.find((each) => each.is(value));
        return kind && peer.state(Channels).open(kind, value, isArgument);
      },
      read(name: string, parts: unknown[], peer: Session, callId: number | undefined): unknown {
        return peer.state(Channels).revive(KINDS.find((each) => each.name === name)!, parts, callId);
      },
    },
  ],
};
