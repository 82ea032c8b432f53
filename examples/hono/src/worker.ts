import { Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import { secureHeaders } from 'hono/secure-headers';
import { rpc } from './rpc.ts';

export { Notes } from './notes.ts';

interface HonoEnv {
  Bindings: { NOTES: DurableObjectNamespace };
  Variables: { user: string | undefined };
}

/** Who is logged in with what: a real one is kept by an object, or signed. */
const SESSIONS = new Map([['session-of-ada', 'ada']]);

const app = new Hono<HonoEnv>();

app.use(secureHeaders());

app.use(async (context, next) => {
  context.set('user', SESSIONS.get(getCookie(context, 'session') ?? ''));
  await next();
});

// Cookies come with upgrades of pages; programs have a token.
app.use(rpc<HonoEnv>((context, { token }) => context.get('user') ?? SESSIONS.get(token ?? '')));

app.get('/', (context) => context.text(`Hello, ${context.get('user') ?? 'stranger'}`));

export default app;
