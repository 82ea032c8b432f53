import { className } from '../difference/describe-value.ts';
import { type Difference, findDifference } from '../difference/find-difference.ts';

/**
 * Compares what tells its bytes only asynchronously: blobs, files, forms, requests and responses. Both are read, so that
 * neither can be used again.
 */
export async function compareBodies(actual: unknown, expected: unknown): Promise<Difference | undefined> {
  const [is, was] = [await readAll(actual), await readAll(expected)];
  // Where the classes differ, what the value has become says more than its first part that is not there.
  if (classOf(is) !== classOf(was)) return findDifference(actual, expected);
  return findDifference(is, was);
}

function classOf(read: unknown): unknown {
  return (read as { class?: string } | null | undefined)?.class;
}

/** Returns what can be compared: all that can be read, with bytes as bytes, and the class. */
async function readAll(value: unknown): Promise<unknown> {
  if (value instanceof File) {
    const { name, lastModified } = value;
    return { class: className(value), name, lastModified, ...(await blobContent(value)) };
  }
  if (value instanceof Blob) return { class: className(value), ...(await blobContent(value)) };
  if (value instanceof FormData) {
    const entries = [...value].map(async ([name, entry]) => [name, await readAll(entry)]);
    return { class: className(value), entries: await Promise.all(entries) };
  }
  if (value instanceof Request) {
    const { url, method, redirect } = value;
    return { class: className(value), url, method, redirect, ...(await bodyContent(value)) };
  }
  if (value instanceof Response) {
    const { status, statusText } = value;
    return { class: className(value), status, statusText, ...(await bodyContent(value)) };
  }
  return value;
}

async function blobContent(blob: Blob): Promise<object> {
  return { type: blob.type, bytes: await blob.arrayBuffer() };
}

async function bodyContent(value: Request | Response): Promise<object> {
  return { headers: value.headers, body: value.body === null ? null : await value.arrayBuffer() };
}
