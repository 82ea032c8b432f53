import { allTypes } from '@lumenize/structured-clone/messages';
import { createCallReader } from '../../packages/rpc/src/protocol/call-reader.ts';
import { readChannels } from '../../packages/rpc/src/protocol/channel.ts';
import { createFrameReader, type FrameHost } from '../../packages/rpc/src/protocol/frame-reader.ts';
import { bytesOf, type Decoding, type Message, messageOf } from '../../packages/rpc/src/protocol/message.ts';
import { RefusedFrame } from '../../packages/rpc/src/protocol/operation.ts';
import { RECORDING_READER } from '../../packages/rpc/src/protocol/recording.ts';
import { CHANNELS, firstNumber } from '../../packages/rpc/src/protocol/tags.ts';
import { mutateMessage } from '../../packages/structured-clone/test/fuzz/mutate-message.ts';
import { mutateText } from '../../packages/structured-clone/test/fuzz/mutate-text.ts';
import { createRandom, type Random } from '../../packages/structured-clone/test/fuzz/random.ts';
import { validFrames } from './valid-frames.ts';

/** How many frames are damaged again and again: all kinds of them, some twenty times. */
const ORIGINALS = 800;
/** What a connection of an attacker sees of frames that a server has to close it for: it takes longer to open one than to send hundreds. */
const ONE_CLOSES_IN = 150;

const OPTIONS: Decoding = { types: allTypes(), refuse: ['RegExp'] };
const read = createFrameReader(OPTIONS, createCallReader(OPTIONS, 10_000, RECORDING_READER), {
  [CHANNELS]: {
    read: (frame, _host, values) => readChannels(frame, values, () => {}),
    unreadable: (_host, _error, message) => firstNumber(message) === CHANNELS,
  },
});
const NOBODY: FrameHost = {
  expects: 'calls',
  revive: (name, parts) => ({ name, parts }),
  stored() {},
  settle() {},
  refused() {},
};

/** Makes frames that a seed decides: valid ones that were damaged, of which few make a server close the connection. */
export function mutatedFrames(count: number, seed: number): Message[] {
  const random = createRandom(seed, 0);
  const originals = validFrames(ORIGINALS, random);
  const frames: Message[] = [];
  while (frames.length < count) {
    const frame = random.oneIn(20) ? random.pick(originals) : damaged(originals, random);
    if (random.oneIn(ONE_CLOSES_IN) || !isHopeless(frame)) frames.push(frame);
  }
  return frames;
}

function damaged(originals: readonly Message[], random: Random): Message {
  if (random.oneIn(30)) return messageOf(twice(bytesOf(random.pick(originals)), random));
  const texts = originals.filter((frame) => typeof frame === 'string');
  const others = originals.filter((frame) => typeof frame !== 'string');
  if (random.oneIn(8)) return mutateMessage(others, random) as Message;
  return mutateText(texts, random);
}

/** Two frames in one, or the bytes of one in random order. */
function twice(frame: Uint8Array<ArrayBuffer>, random: Random): Uint8Array<ArrayBuffer> {
  if (random.oneIn(2)) return Uint8Array.from([...frame, ...frame]);
  return frame.map(() => frame[random.below(frame.length)]);
}

/** Whether not even an id can be read of a frame, for which the connection is closed. */
function isHopeless(frame: Message): boolean {
  try {
    read(frame, NOBODY);
    return false;
  } catch (error) {
    return !(error instanceof RefusedFrame);
  }
}
