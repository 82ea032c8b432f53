import { type Message, toMessage } from '@lumenize/structured-clone/messages';
import { serve } from '../../packages/rpc/test/support/serve.ts';
import { mutateMessage } from '../../packages/structured-clone/test/fuzz/mutate-message.ts';
import { mutateText } from '../../packages/structured-clone/test/fuzz/mutate-text.ts';
import { createRandom, type Random } from '../../packages/structured-clone/test/fuzz/random.ts';
import { validFrames } from './valid-frames.ts';
import { VictimTarget } from './victim-target.ts';

/** How many frames are damaged again and again: all kinds of them, some twenty times. */
const ORIGINALS = 800;
/** What a connection of an attacker sees of frames that a server has to close it for: it takes longer to open one than to send hundreds. */
const ONE_CLOSES_IN = 150;
/** Frames that one session here sees: what it holds by then is of no use. */
const A_SESSION = 500;

/** Makes frames that a seed decides: valid ones that were damaged, of which few make a server close the connection. */
export function mutatedFrames(count: number, seed: number): Message[] {
  const random = createRandom(seed, 0);
  const originals = validFrames(ORIGINALS, random);
  const frames: Message[] = [];
  const judge = new Judge();
  while (frames.length < count) {
    const frame = random.oneIn(20) ? random.pick(originals) : damaged(originals, random);
    if (random.oneIn(ONE_CLOSES_IN) || !judge.isHopeless(frame)) frames.push(frame);
  }
  return frames;
}

function damaged(originals: readonly Message[], random: Random): Message {
  if (random.oneIn(30)) return twice(bytesOf(random.pick(originals)), random);
  const texts = originals.filter((frame) => typeof frame === 'string' && frame !== 'ping') as string[];
  const others = originals.filter((frame) => typeof frame !== 'string') as Uint8Array[];
  if (random.oneIn(8)) return mutateMessage(others, random) as Message;
  return mutateText(texts, random);
}

function bytesOf(frame: Message): Uint8Array<ArrayBuffer> {
  return typeof frame === 'string' ? (toMessage(frame, [new Uint8Array()]) as Uint8Array<ArrayBuffer>) : frame;
}

/** Two frames in one, or the bytes of one in random order. */
function twice(frame: Uint8Array<ArrayBuffer>, random: Random): Uint8Array<ArrayBuffer> {
  if (random.oneIn(2)) return Uint8Array.from([...frame, ...frame]);
  return frame.map(() => frame[random.below(frame.length)]);
}

/** Tells which frames a server closes the connection for, by sending them to one. */
class Judge {
  #served = serveHere();
  #seen = 0;

  isHopeless(frame: Message): boolean {
    if (frame === 'ping') return false;
    if (this.#seen++ === A_SESSION) this.#renew();
    this.#served.send(frame);
    if (this.#served.closes.length === 0) return false;
    this.#renew();
    return true;
  }

  #renew(): void {
    this.#served.session.closed();
    this.#served = serveHere();
    this.#seen = 0;
  }
}

function serveHere() {
  const topic = {
    position: ['x', 0],
    publish: () => 1,
    subscribe() {
      throw new Error('there are no topics here');
    },
  };
  return serve(new VictimTarget({ received: 0, value: 0 }, topic as never), {
    rateLimits: { connection: false },
    onError: () => {},
    onRefused: () => {},
  });
}
