/** Makes a stream of `count` chunks of `bytes` bytes, made one at a time as they are asked for, each filled with its number. */
export function chunkStream(count: number, bytes: number): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (next === count) controller.close();
      else controller.enqueue(new Uint8Array(bytes).fill(next++));
    },
  });
}

/** Reads what `chunkStream` made to its end and returns the number of bytes; throws where a byte at a chunk's end is wrong. */
export async function readChunks(stream: ReadableStream<Uint8Array>): Promise<number> {
  const reader = stream.getReader();
  let bytes = 0;
  for (let chunk = 0; ; chunk++) {
    const { done, value } = await reader.read();
    if (done) return bytes;
    const expected = chunk & 0xff;
    if (value[0] !== expected || value[value.length - 1] !== expected) {
      throw new Error(
        `chunk ${chunk} has ${value[0]} and ${value[value.length - 1]} at its ends instead of ${expected}`,
      );
    }
    bytes += value.length;
  }
}
