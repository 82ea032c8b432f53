import { join } from 'node:path';
import { connect, connection } from '@lumenize/rpc';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import { DocumentCode } from '../../support/document-code.ts';
import { type ServedHttp, serveHttp } from '../../support/serve-http.ts';
import { readWorker, type ServedWorker, serveWorker } from '../../support/workerd.ts';

interface Desk {
  whoAmI(): object;
}

const APPLICATION = '32eafc7626e974616deaf0dc3ce63d7bcbed58a2731e84d06bc3cdf1b53c4228';

/** A service as its documents describe it. */
interface Service {
  readonly name: string;
  /** Address that the guide has, and that of the keys below it. */
  readonly origin: string;
  readonly keys: string;
  readonly algorithm: string;
  /** Claims of a person, without times. */
  claims(issuer: string): JWTPayload;
  readonly user: object;
  /** Claims that are wrong for this service, each in its own way. */
  readonly wrong: readonly JWTPayload[];
}

const SERVICES: readonly Service[] = [
  {
    name: 'better-auth',
    origin: 'https://app.example.com',
    keys: '/api/auth/jwks',
    algorithm: 'EdDSA',
    claims: (issuer) => ({
      iss: issuer,
      aud: issuer,
      sub: 'user-1',
      id: 'user-1',
      name: 'Ada',
      email: 'ada@example.com',
      emailVerified: true,
      role: 'admin',
    }),
    user: { id: 'user-1', email: 'ada@example.com', admin: true },
    wrong: [{ aud: 'https://other.example.com' }, { iss: 'https://other.example.com' }, { sub: undefined }],
  },
  {
    name: 'clerk',
    origin: 'https://clerk.example.com',
    keys: '/.well-known/jwks.json',
    algorithm: 'RS256',
    claims: (issuer) => ({
      iss: issuer,
      azp: 'https://app.example.com',
      sub: 'user_1',
      sid: 'sess_1',
      v: 2,
      fva: [0, -1],
      o: { id: 'org_1', slg: 'office', rol: 'admin' },
    }),
    user: { id: 'user_1', admin: true },
    wrong: [{ azp: 'https://evil.example.com' }, { azp: undefined }, { iss: 'https://clerk.other.example.com' }],
  },
  {
    name: 'access',
    origin: 'https://team.cloudflareaccess.com',
    keys: '/cdn-cgi/access/certs',
    algorithm: 'RS256',
    claims: (issuer) => ({
      iss: issuer,
      aud: [APPLICATION],
      sub: '7335d417-61da-459d-899c-0a01c76a2f94',
      email: 'ada@example.com',
      type: 'app',
      identity_nonce: '6ei69kawdKzMIAPF',
      country: 'US',
    }),
    user: { id: '7335d417-61da-459d-899c-0a01c76a2f94', email: 'ada@example.com' },
    wrong: [{ aud: ['another'] }, { email: undefined }, { iss: 'https://other.cloudflareaccess.com' }],
  },
];

/** Returns the guide's code, with a Worker that uses it. */
async function codeOfServices(): Promise<DocumentCode> {
  const code = await DocumentCode.of('docs/guides/access.md#services');
  await code.add('test/guides/services');
  return code;
}

test('the code of the guide has no type errors', async () => {
  await using code = await codeOfServices();
  expect(await code.typeErrors()).toBe('');
});

describe.each(SERVICES)('a token of $name', ({ name, origin, keys, algorithm, claims, user, wrong }) => {
  let pair: CryptoKeyPair;
  let service: ServedHttp;
  let issuer: string;
  let worker: ServedWorker;
  let code: DocumentCode;
  let fetched = 0;
  let isDown = false;

  beforeAll(async () => {
    pair = (await generateKeyPair(algorithm)) as CryptoKeyPair;
    const key = { ...(await exportJWK(pair.publicKey)), kid: 'first', alg: algorithm, use: 'sig' };
    service = await serveHttp((request) => {
      if (isDown) return new Response('down', { status: 503 });
      if (new URL(request.url).pathname !== keys) return new Response('Not found', { status: 404 });
      fetched++;
      return Response.json({ keys: [key] });
    });
    issuer = service.url.slice(0, -1);
    code = await codeOfServices();
    // The addresses of the service become those of the test's own; the page's, which Clerk names too, stays.
    await code.write(`${name}.ts`, code.blocks.get(`${name}.ts`)!.replace(`'${origin}';`, `'${issuer}';`));
    await code.write('worker.ts', (await code.read('worker.ts')).replace('./clerk.ts', `./${name}.ts`));
    worker = await serveWorker({ ...(await readWorker(join(code.folder, 'wrangler.toml'))), isLocal: true });
  }, 60_000);

  afterAll(async () => {
    await worker?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
    await code?.[Symbol.asyncDispose]();
  });

  function sign(changes: JWTPayload = {}, { lifetime = '1m', key = pair.privateKey, kid = 'first' } = {}) {
    const payload = JSON.parse(JSON.stringify({ ...claims(issuer), ...changes }));
    const header = { alg: algorithm, kid, typ: 'JWT' };
    return new SignJWT(payload).setProtectedHeader(header).setIssuedAt().setExpirationTime(lifetime).sign(key);
  }

  /** Connects as a page does: with the token, or with what Access adds to the request. */
  function open(token: string | (() => Promise<string>)) {
    const url = worker.url('/rpc/office/main');
    if (name !== 'access') return connect<Desk>(url, { token, maxWaitMs: 5000 });
    class Behind extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols, { headers: { 'Cf-Access-Jwt-Assertion': String(token) } });
      }
    }
    vi.stubGlobal('WebSocket', Behind);
    return connect<Desk>(url, { maxWaitMs: 5000 });
  }

  afterEach(() => void vi.unstubAllGlobals());

  test('says who calls, by keys that are fetched once', async () => {
    for (let times = 0; times < 3; times++) {
      using desk = open(await sign());
      expect(await desk.whoAmI()).toEqual(user);
    }
    expect(fetched).toBe(1);
  });

  test.each(wrong)('with %o is denied', async (changes) => {
    using desk = open(await sign(changes));
    await expect(desk.whoAmI()).rejects.toMatchObject({ code: 'DENIED' });
  });

  test('that has expired, or that somebody else has signed, is denied', async () => {
    const other = (await generateKeyPair(algorithm)) as CryptoKeyPair;
    const [head, body, signature] = (await sign()).split('.');
    const unsigned = btoa(JSON.stringify({ alg: 'none' })).replaceAll('=', '');
    const tokens = [
      await sign({}, { lifetime: '-1m' }),
      await sign({}, { key: other.privateKey }),
      await sign({}, { key: other.privateKey, kid: 'unknown' }),
      `${unsigned}.${body}.`,
      `${head}.${body}x.${signature}`,
      'nonsense',
    ];
    for (const token of tokens) {
      using desk = open(token);
      await expect(desk.whoAmI()).rejects.toMatchObject({ code: 'DENIED' });
    }
  });

  test.skipIf(name === 'access')(
    'is taken again for a new connection, which is a new session for another person',
    async () => {
      let changes: JWTPayload = {};
      using desk = open(() => sign(changes));
      expect(await desk.whoAmI()).toEqual(user);
      await connection(desk).authenticate();
      expect(connection(desk).statistics.reconnects).toBe(1);
      expect(await desk.whoAmI()).toEqual(user);
      changes = { sub: 'somebody-else' };
      await connection(desk).authenticate();
      expect(await desk.whoAmI()).toEqual({ ...user, id: 'somebody-else' });
    },
  );

  test.runIf(name === 'access')('of a service has its name', async () => {
    const changes = { email: undefined, sub: '', common_name: 'e367826f.access' };
    using desk = open(await sign(changes));
    expect(await desk.whoAmI()).toEqual({ id: 'service:e367826f.access' });
  });

  test('waits while the service cannot be reached', async () => {
    isDown = true;
    await worker.kill();
    await worker.restart();
    setTimeout(() => {
      isDown = false;
    }, 500);
    using desk = open(await sign());
    expect(await desk.whoAmI()).toEqual(user);
  });
});
