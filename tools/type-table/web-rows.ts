import { findDifference } from '../difference/find-difference.ts';
import { compareBodies } from './compare-bodies.ts';
import { byValue, itsOwnWay, type RowGroup, type Sample } from './row.ts';

const read = (make: Sample['make'], label?: string): Sample => ({ make, label, compare: compareBodies });

const request = () =>
  new Request('https://example.com/a?b=c', {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain', 'X-One': '1' },
    body: 'größer',
    redirect: 'manual',
  });
const response = () =>
  new Response(Uint8Array.of(0, 255, 128), { status: 404, statusText: 'Nothing here', headers: { 'X-One': '1' } });
const form = (file: boolean) => () => {
  const data = new FormData();
  data.append('a', '1');
  data.append('a', '2');
  if (file) data.append('f', new File(['text'], 'name.txt', { type: 'text/plain', lastModified: 7 }));
  return data;
};
const headers = () =>
  new Headers([
    ['Set-Cookie', 'a=1'],
    ['Set-Cookie', 'b=2'],
    ['X-One', '1'],
  ]);
const options = () => new Request('https://example.com/', { credentials: 'omit', cache: 'no-store', keepalive: true });

export const WEB: RowGroup = {
  heading: 'Classes of the web',
  rows: [
    byValue('URL', () => new URL('https://user@example.com:81/a%20b?c=d#e')),
    byValue('URLSearchParams', () => new URLSearchParams('a=1&a=2&b=%26')),
    byValue('Headers', headers),
    byValue('Request with a body', read(request)),
    byValue(
      'Request without one',
      read(() => new Request('https://example.com/a#b', { headers: { 'X-One': '1' } })),
    ),
    byValue('Response with a body', read(response)),
    byValue(
      'Response without one',
      read(() => new Response(null, { status: 204 })),
    ),
    byValue(
      'Blob',
      read(() => new Blob(['text', Uint8Array.of(0, 255)], { type: 'text/plain' })),
    ),
    byValue(
      'File',
      read(() => new File(['text'], 'name.txt', { type: 'text/plain', lastModified: 7 })),
    ),
    byValue('FormData', read(form(false), 'text'), read(form(true), 'with a file')),
    itsOwnWay('Request: what only its own browser uses', 'of a request it carries what a server sees', {
      make: options,
      compare: async (actual, expected) => findDifference(onlyInBrowsers(actual), onlyInBrowsers(expected)),
    }),
  ],
};

function onlyInBrowsers(value: unknown): unknown {
  if (!(value instanceof Request)) return value;
  const { credentials, cache, keepalive } = value;
  return { credentials, cache, keepalive };
}
