import { PART_BYTES, type UploadedFile } from './wire.ts';

/** Types that a browser shows as they are. All others could run scripts in the name of the site, or are of no use there. */
const SHOWN = /^(image\/(avif|gif|jpeg|png|webp)|audio\/|video\/|text\/plain)/;

/** Answers a request for a file, or for a range of it. `read` returns a part; undefined if it was deleted meanwhile. */
export function responseOf(
  request: Request,
  file: UploadedFile | undefined,
  read: (part: number) => Uint8Array | undefined,
): Response {
  const { method, headers: asked } = request;
  if (method !== 'GET' && method !== 'HEAD')
    return new Response(null, { status: 405, headers: { Allow: 'GET, HEAD' } });
  if (file === undefined) return new Response(null, { status: 404 });
  const { name, type, size, sha256 } = file;
  const tag = `"${sha256}"`;
  const headers = new Headers({
    'Accept-Ranges': 'bytes',
    // The bytes of an id never change, but who may see them can.
    'Cache-Control': 'private, max-age=31536000, immutable',
    'Content-Disposition': `${SHOWN.test(type) ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(name)}`,
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Content-Type': type || 'application/octet-stream',
    ETag: tag,
    'X-Content-Type-Options': 'nosniff',
  });
  if (asked.get('If-None-Match')?.includes(tag)) return new Response(null, { status: 304, headers });
  const isSame = (asked.get('If-Range') ?? tag) === tag;
  const range = method === 'GET' && isSame ? rangeOf(asked.get('Range'), size) : undefined;
  if (range === null) {
    headers.set('Content-Range', `bytes */${size}`);
    return new Response(null, { status: 416, headers });
  }
  const [first, end] = range ?? [0, size];
  headers.set('Content-Length', `${end - first}`);
  if (range !== undefined) headers.set('Content-Range', `bytes ${first}-${end - 1}/${size}`);
  const status = range === undefined ? 200 : 206;
  if (method === 'HEAD') return new Response(null, { status, headers });
  // The runtime sends the length only of a stream that has one.
  const { readable, writable } = new FixedLengthStream(end - first);
  const send = async () => {
    const writer = writable.getWriter();
    for (let at = first; at < end; ) {
      const part = Math.floor(at / PART_BYTES);
      const bytes = read(part)?.subarray(at - part * PART_BYTES, end - part * PART_BYTES);
      if (bytes === undefined) return writer.abort(new Error('the file was deleted'));
      await writer.write(bytes);
      at += bytes.length;
    }
    await writer.close();
  };
  // Whoever has asked may have left.
  send().catch(() => {});
  return new Response(readable, { status, headers });
}

/**
 * Reads a `Range` header, of RFC 9110. Returns undefined if it asks for none, or for several, which a server need not
 * answer with ranges; null if the file has no such bytes.
 */
function rangeOf(header: string | null, size: number): [first: number, end: number] | undefined | null {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/i.exec(header?.replaceAll(' ', '') ?? '') ?? [];
  if (from === undefined || (from === '' && to === '')) return undefined;
  const first = from === '' ? Math.max(size - Number(to), 0) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(Number(to) + 1, size);
  return first < end ? [first, end] : null;
}
