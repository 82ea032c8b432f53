import { UsageError } from './usage-error.ts';

/** Names of this machine, whole: localhost.example.com is another one, which no token may reach in clear text. */
const LOCAL = /^(localhost|127(\.\d+){3}|\[::1\])(?=[:/]|$)/i;

const EXAMPLE = 'ws://localhost:8787/rpc/counter/main';

/**
 * Reads where an object is. Without a scheme it is taken to be on this machine, or else behind TLS, as it mostly is.
 * @throws {UsageError} where it is no URL of an object
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
