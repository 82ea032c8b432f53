import { readFileSync } from 'node:fs';
import { describeFrame, formatFrame } from '@lumenize/inspect';
import { toMessage } from '@lumenize/structured-clone/messages';
import { expect, test } from 'vitest';

interface GoldenFrame {
  readonly name: string;
  readonly direction: string;
  readonly message: string | Uint8Array;
}

/** The golden frames of the core, as messages. Bytes stand behind a text in hexadecimal. */
function goldenFrames(): GoldenFrame[] {
  const file = new URL('../../rpc/test/vectors/frames.json', import.meta.url);
  const golden: Record<string, string[]> = JSON.parse(readFileSync(file, 'utf8'));
  return Object.entries(golden).flatMap(([name, frames]) =>
    frames.map((line) => {
      const [, direction, text, hex] = /^(up|down) +(.*?)(?: \+ ([0-9a-f ]+))?$/.exec(line)!;
      const tail = hex === undefined ? [] : [Uint8Array.from(hex.split(' '), (each) => Number.parseInt(each, 16))];
      return { name, direction, message: toMessage(text, tail) };
    }),
  );
}

const frames = goldenFrames();

test('every golden frame is described, in words that a person understands', async () => {
  expect(frames.length).toBeGreaterThan(40);
  const described = frames.map(({ name, direction, message }) => {
    return `${name}\n${direction} ${formatFrame(describeFrame(message))}\n`;
  });
  await expect(described.join('\n')).toMatchFileSnapshot('golden-descriptions.txt');
});

test('no golden frame is unreadable', () => {
  expect(frames.filter(({ message }) => describeFrame(message).kind === 'unreadable')).toEqual([]);
});

test('a frame that was damaged is described too, whatever the damage', () => {
  let unreadable = 0;
  for (const { message } of frames) {
    const bytes = typeof message === 'string' ? new TextEncoder().encode(message) : message;
    for (let place = 0; place < bytes.length; place++) {
      const changed = bytes.slice();
      changed[place] ^= 0x15;
      for (const damaged of [bytes.slice(0, place), changed]) {
        const given = typeof message === 'string' ? new TextDecoder().decode(damaged) : damaged;
        const description = describeFrame(given);
        expect(description.size).toBe(
          typeof given === 'string' ? new TextEncoder().encode(given).length : given.length,
        );
        expect(formatFrame(description)).toContain(`${description.kind}, ${description.size} bytes`);
        if (description.kind === 'unreadable') unreadable++;
      }
    }
  }
  expect(unreadable).toBeGreaterThan(1000);
});
