/** An address without what may be secret in its URL: the query, and a name and password before the host. */
export function publicAddress(address: string): string {
  return address.replace(/\?.*/s, '').replace(/\/\/[^/]*@/, '//');
}

/** The message of an error, without what may be secret in the URL that it may quote. */
export function publicMessage(error: unknown, address: string | undefined): string {
  const message = error instanceof Error ? error.message : typeof error;
  return address === undefined ? message : message.replaceAll(address, () => publicAddress(address));
}
