import type { Message } from '@lumenize/rpc';
import { encode, parse } from '@lumenize/rpc/adapter';
import type { Page } from '../wire.ts';

/** The size of a page at most, in bytes, unless a single record is larger. A few are for what stands around it. */
const MAX_PAGE_BYTES = 261_000;
const MAX_UNIT_BYTES = 3;
/** Where the text of the codec is not what JSON says. */
const FLAGGED = '{"$":';

/** A record or the id of a deleted one, as text of the codec. */
export interface Entry {
  /** The number of its collection. */
  readonly collection: number;
  readonly id: string;
  /** The record; undefined if it was deleted. */
  readonly text: string | undefined;
}

/** Writes records into pages, as events of a topic. There is at least one page. */
export function writePages(head: Pick<Page, 'collections' | 'since'>, entries: Iterable<Entry>): Message[] {
  const pages: Message[] = [];
  let parts: string[] = [];
  let isPlain = true;
  let bytes = 0;
  let collection = 0;
  const end = (more: boolean) => {
    const page = { part: pages.length, ...head, ...(more && { more }), changes: [] };
    // Plain records are not parsed: their text is what stands in the page.
    const changes = parts.join();
    if (isPlain) pages.push(`${JSON.stringify(page).slice(0, -2)}${changes}]}`);
    else pages.push(encode({ ...page, changes: parts.map((part) => parse(part)) }) as Message);
    parts = [];
    isPlain = true;
    bytes = 0;
  };
  for (const entry of entries) {
    const { text = `${JSON.stringify(entry.id)}` } = entry;
    const size = bytesAtMost(text);
    if (bytes > 0 && bytes + size > MAX_PAGE_BYTES) {
      end(true);
      collection = 0;
    }
    if (entry.collection !== collection) parts.push(`${entry.collection}`);
    collection = entry.collection;
    parts.push(text);
    if (entry.text === undefined) parts.push('null');
    else isPlain &&= !text.startsWith(FLAGGED);
    bytes += size + 1;
  }
  end(false);
  return pages;
}

function bytesAtMost(text: string): number {
  return /[^\0-\x7f]/.test(text) ? text.length * MAX_UNIT_BYTES : text.length;
}
