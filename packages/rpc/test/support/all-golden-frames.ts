import { readFileSync } from 'node:fs';
import { bytes } from './hex.ts';

/** A frame that pins the wire, and what it is an example of. */
export interface GoldenFrame {
  readonly name: string;
  readonly direction: 'up' | 'down';
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Every golden frame that there is, in the order of the files that pin them. */
export function goldenFrames(): GoldenFrame[] {
  return ['../golden-frames.test.ts', '../golden-channels.test.ts', './golden-topics.ts'].flatMap((file) => {
    const text = readFileSync(new URL(file, import.meta.url), 'utf8');
    return text
      .split(/name: '/)
      .slice(1)
      .flatMap((exchange) => framesOf(exchange.slice(0, exchange.indexOf("'")), exchange));
  });
}

function framesOf(name: string, text: string): GoldenFrame[] {
  const frame = (direction: string, hex: string) => ({
    name,
    direction: direction as 'up' | 'down',
    bytes: bytes(hex),
  });
  // As `up` and `down` of an object, with more than one frame between slashes or in a list.
  const fields = [...text.matchAll(/\b(up|down): (?:'([^']*)'|\[([^\]]*)\])/g)].flatMap(([, direction, one, list]) =>
    (one === undefined ? [...list.matchAll(/'([^']*)'/g)].map(([, hex]) => hex) : one.split('/'))
      .filter((hex) => hex !== '')
      .map((hex) => frame(direction, hex)),
  );
  // As texts that say where they go.
  return [
    ...fields,
    ...[...text.matchAll(/'(up|down) +([\da-f]+)'/g)].map(([, direction, hex]) => frame(direction, hex)),
  ];
}
