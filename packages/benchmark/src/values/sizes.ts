import type { Verification } from './bench.ts';

/** Returns the sizes of an encoded form: text as the UTF-8 that a socket makes of it. */
export async function sizesOf(encoded: unknown): Promise<Pick<Verification, 'bytes' | 'gzip'>> {
  const bytes = typeof encoded === 'string' ? new TextEncoder().encode(encoded) : (encoded as Uint8Array<ArrayBuffer>);
  // The platform's own stream, which Workers have too, at its only level.
  const compressed = new Blob([bytes]).stream().pipeThrough(new CompressionStream('gzip'));
  return { bytes: bytes.byteLength, gzip: (await new Response(compressed).arrayBuffer()).byteLength };
}
