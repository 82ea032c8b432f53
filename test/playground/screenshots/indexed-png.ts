import { crc32, deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';

/** How many colours a picture keeps: pages of text have few, and many shades between them at the edges of letters. */
const MAX_COLOURS = 240;

/** How near to a colour that is kept already another one is not worth its place, as a squared distance. */
const NEAR = 24;

type Colour = readonly [red: number, green: number, blue: number];

/** Writes a PNG again with a palette of its most frequent colours, which takes a third of the bytes. */
export function indexColours(png: Buffer): Buffer {
  const { width, height, data } = PNG.sync.read(png);
  const counts = new Map<number, number>();
  for (let at = 0; at < data.length; at += 4) {
    const colour = data.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = choosePalette(counts);
  const places = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, split(colour))]));
  const rows = Buffer.alloc((width + 1) * height); // each begins with a 0: it is not filtered
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      rows[y * (width + 1) + 1 + x] = places.get(data.readUIntBE((y * width + x) * 4, 3))!;
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3], 8); // eight bits for each pixel, which are a place in the palette
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function choosePalette(counts: ReadonlyMap<number, number>): Colour[] {
  const palette: Colour[] = [];
  for (const [packed] of [...counts].toSorted(([, one], [, other]) => other - one)) {
    const colour = split(packed);
    if (palette.some((kept) => distance(kept, colour) < NEAR)) continue;
    palette.push(colour);
    if (palette.length === MAX_COLOURS) break;
  }
  return palette;
}

function nearest(palette: readonly Colour[], colour: Colour): number {
  let best = 0;
  for (let place = 1; place < palette.length; place++) {
    if (distance(palette[place], colour) < distance(palette[best], colour)) best = place;
  }
  return best;
}

function split(packed: number): Colour {
  return [packed >> 16, (packed >> 8) & 0xff, packed & 0xff];
}

function distance(one: Colour, other: Colour): number {
  return one.reduce((sum, channel, place) => sum + (channel - other[place]) ** 2, 0);
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}
