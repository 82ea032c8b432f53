/**
 * Objects that the platform makes itself, and not with the constructor of their class: it may give them properties of
 * their own.
 */
export const PLATFORM_MADE: Readonly<Record<string, () => object | Promise<object>>> = {
  'a slice of a Blob': () => new Blob(['hello'], { type: 'text/plain' }).slice(1, 3, 'text/html'),
  'a slice of a slice': () => new Blob(['hello']).slice(1).slice(1),
  'a slice of a File': () => new File(['hello'], 'a.txt').slice(1),
  'a copied Blob': () => structuredClone(new Blob(['hello'])),
  'the Blob of a Response': () => new Response('hello', { headers: { 'Content-Type': 'text/plain' } }).blob(),
  'the Blob of a Request': () => new Request('http://a.test/', { method: 'POST', body: 'hello' }).blob(),
  'the File of a form': () => {
    const form = new FormData();
    form.append('file', new Blob(['hello']), 'a.txt');
    return form.get('file') as File;
  },
  'the File of a form that was read': async () => {
    const form = new FormData();
    form.append('file', new Blob(['hello']), 'a.txt');
    return (await new Response(form).formData()).get('file') as File;
  },
  'a form that was read': () =>
    new Response('a=1', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }).formData(),
  'the parameters of a URL': () => new URL('http://a.test/?a=1').searchParams,
  'the headers of a Response': () => new Response('', { headers: { a: 'b' } }).headers,
  'a copied Response': () => new Response('hello', { status: 201, headers: { a: 'b' } }).clone(),
  'a Response of data': () => Response.json({ a: 1 }),
  'a copied Request': () => new Request('http://a.test/', { method: 'POST', body: 'hello' }).clone(),
  'the reason of a signal': () => AbortSignal.abort().reason,
  'what a platform throws': () => {
    try {
      return structuredClone(() => 1) as never;
    } catch (error) {
      return error as DOMException;
    }
  },
  'a match': () => 'hello'.match(/(?<first>.)l/)!,
};

/** Returns the class and the content of such an object. */
export async function contentOf(value: object): Promise<unknown[]> {
  const name = Object.prototype.toString.call(value);
  if (value instanceof Blob) {
    // Of a request's Blob, workerd keeps capitals in the type.
    return [name, value.type.toLowerCase(), (value as Partial<File>).name, await value.text()];
  }
  if (value instanceof Response) return [name, value.status, [...value.headers], await value.clone().text()];
  if (value instanceof Request) return [name, value.url, value.method, await value.clone().text()];
  if (value instanceof DOMException) return [name, value.name, value.message];
  return [name, ...(value as Iterable<unknown>)];
}
