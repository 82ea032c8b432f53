import { UsageError } from './usage-error.ts';

/**
 * Matches names of this machine, but only whole: localhost.example.com is another machine, and a token must not reach
 * it in clear text.
 */
const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\])(?=(:\d*)?(\/|$))/i;

const EXAMPLE = 'ws://localhost:8787/rpc/counter/main';

/**
 * Reads the URL of an object. Without a scheme, the object is assumed to be on this machine if the host is local, and
 * behind TLS otherwise.
 * @throws {UsageError} if it is not the URL of an object
 */
export function readTargetUrl(text: string): URL {
  const full = /^[a-z]+:\/\//i.test(text) ? text : `${LOCAL.test(text) ? 'ws' : 'wss'}://${text}`;
  const url = URL.canParse(full) ? new URL(full) : undefined;
  if (url === undefined || !/^(ws|http)s?:$/.test(url.protocol)) {
    throw new UsageError(`${JSON.stringify(text)} is no URL of an object. One looks like ${EXAMPLE}`);
  }
  if (url.pathname === '/') {
    throw new UsageError(`${text} does not say which object: a URL looks like ${EXAMPLE}, with binding and name`);
  }
  return url;
}
