/** Converts each chunk on its way. */
type Convert = (chunk: unknown) => unknown;

/** A stream of what is made of another's chunks: it reads ahead no further than that one does. */
export function convertedReadable(stream: ReadableStream, convert: Convert): ReadableStream {
  const reader = stream.getReader();
  return pulled(
    () => reader.read(),
    (reason) => reader.cancel(reason),
    convert,
  );
}

/** A stream of what is gone through. */
export function readableOf(iterable: AsyncIterable<unknown>, convert: Convert): ReadableStream {
  const iterator = iterable[Symbol.asyncIterator]();
  return pulled(
    () => iterator.next(),
    async () => void (await iterator.return?.()),
    convert,
  );
}

/** A stream that writes what is made of its chunks to another. */
export function convertedWritable(stream: WritableStream, convert: Convert): WritableStream {
  const writer = stream.getWriter();
  return new WritableStream({
    write: (chunk) => writer.write(convert(chunk)),
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
}

function pulled(
  next: () => Promise<{ done?: boolean | undefined; value?: unknown }>,
  cancel: (reason: unknown) => Promise<void>,
  convert: Convert,
): ReadableStream {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await next();
        if (done) controller.close();
        else controller.enqueue(convert(value));
      },
      cancel,
    },
    { highWaterMark: 0 },
  );
}
