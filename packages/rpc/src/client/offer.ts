import { CLIENT_PREFIX, SUBPROTOCOL, TOKEN_PREFIX } from '../protocol/version.ts';

/** What a client offers as subprotocols: the version, its own name and how often it has tried, and its token. A page can say nothing else with an upgrade, and no log keeps it. */
export function offer(name: string, attempt: number, token: string | undefined): readonly string[] {
  const offered = [SUBPROTOCOL, `${CLIENT_PREFIX}${name}.${attempt}`];
  if (token !== undefined) offered.push(TOKEN_PREFIX + base64Url(token));
  return offered;
}

/** Any text, in characters that a header may have. */
function base64Url(text: string): string {
  const bytes = String.fromCharCode(...new TextEncoder().encode(text));
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
