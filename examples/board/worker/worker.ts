import { routeRpc } from '@lumenize/rpc/server';
import { z } from 'zod';
import type { Account } from './account.ts';
import type { Board } from './board.ts';
import { readSession, sessionCookie } from './session.ts';

export { Account } from './account.ts';
export { Board } from './board.ts';

interface Env {
  readonly ACCOUNT: DurableObjectNamespace<Account>;
  readonly BOARD: DurableObjectNamespace<Board>;
  /** What sessions are signed with: `npx wrangler secret put SESSION_SECRET`. */
  readonly SESSION_SECRET: string;
}

const Credentials = z.object({
  name: z.string().regex(/^[\p{L}\d ]{1,30}$/u, 'A name has letters, digits and spaces, up to 30'),
  password: z.string().min(8, 'A password has at least 8 characters').max(200),
});

export default {
  async fetch(request, env) {
    const authenticate = (request: Request) => readSession(request, env.SESSION_SECRET);
    if (new URL(request.url).pathname === '/session') return session(request, env);
    // Not the whole environment: nobody but this Worker asks accounts.
    const answer = await routeRpc(request, { BOARD: env.BOARD }, { authenticate });
    return answer ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<Env>;

/** Says who is signed in, signs in or up, and out: a socket cannot set cookies. */
async function session(request: Request, env: Env): Promise<Response> {
  if (request.method === 'GET')
    return Response.json((await readSession(request, env.SESSION_SECRET))?.identity ?? null);
  // Another site's page could only send a form, or what a browser asks us about first.
  if (request.headers.get('Origin') !== new URL(request.url).origin) return new Response(null, { status: 403 });
  if (request.method === 'DELETE') return signedIn('', request);
  const given = Credentials.safeParse(await request.json().catch(() => undefined));
  if (!given.success) return new Response(given.error.issues[0].message, { status: 400 });
  const { name, password } = given.data;
  if (!(await env.ACCOUNT.getByName(name).admits(password))) {
    return new Response('This name has another password', { status: 403 });
  }
  return signedIn(await sessionCookie({ name }, env.SESSION_SECRET), request);
}

function signedIn(cookie: string, request: Request): Response {
  const secure = request.url.startsWith('https:') ? '; Secure' : '';
  const age = cookie === '' ? '; Max-Age=0' : '';
  const headers = { 'Set-Cookie': `session=${cookie}; HttpOnly; SameSite=Strict; Path=/${secure}${age}` };
  return new Response(null, { status: 204, headers });
}
