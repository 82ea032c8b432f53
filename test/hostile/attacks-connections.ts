import { expect } from 'vitest';
import { SUBPROTOCOL } from '../../packages/rpc/src/protocol.ts';
import type { Where } from './advisories.ts';
import type { Attack } from './attack.ts';
import { VICTIM_PATH } from './paths.ts';
import { type RawRequest, rawStatus, UPGRADE } from './upgrade.ts';

const OFFER = `Sec-WebSocket-Protocol: ${SUBPROTOCOL}`;

/** Upgrades that say something no client says, each with what is sent. */
const BAD: readonly (readonly [what: string, request: RawRequest])[] = [
  // Subprotocols.
  ['no subprotocol', upgrade([])],
  ['an empty subprotocol', upgrade(['Sec-WebSocket-Protocol: '])],
  ['a version that is no number', upgrade(['Sec-WebSocket-Protocol: lumenize.rpc.'])],
  ['a version by a name', upgrade(['Sec-WebSocket-Protocol: lumenize.rpc.__proto__'])],
  ['ten thousand versions', upgrade([`Sec-WebSocket-Protocol: ${'lumenize.rpc.9,'.repeat(4000)}`])],
  ['thousands of commas', upgrade([`Sec-WebSocket-Protocol: ${','.repeat(50_000)}`])],
  ['a subprotocol of a megabyte', upgrade([`Sec-WebSocket-Protocol: ${'x'.repeat(1_000_000)}`])],
  ['the same subprotocol twice', upgrade([OFFER, OFFER])],
  ['subprotocols that contradict each other', upgrade([OFFER, 'Sec-WebSocket-Protocol: lumenize.rpc.9'])],
  ['a subprotocol of bytes that are no UTF-8', upgrade(['Sec-WebSocket-Protocol: lumenize.rpc.\xff\xfe\x80'])],
  ['a subprotocol of control characters', upgrade(['Sec-WebSocket-Protocol: lumenize.rpc.\x01\x02'])],
  ['a token that is no base64', upgrade([`${OFFER}, lumenize.token.***`])],
  ['an empty token', upgrade([`${OFFER}, lumenize.token.`])],
  ['a token of bytes that are no UTF-8', upgrade([`${OFFER}, lumenize.token._____w`])],
  ['a name of a client that is none', upgrade([`${OFFER}, lumenize.client.__proto__`])],
  ['a name of a client of another length', upgrade([`${OFFER}, lumenize.client.${'a'.repeat(5000)}`])],
  ['a name of a client without numbers', upgrade([`${OFFER}, lumenize.client.${'a'.repeat(32)}`])],
  [
    'an attempt of a million digits',
    upgrade([`${OFFER}, lumenize.client.${'a'.repeat(32)}.${'9'.repeat(1_000_000)}.1`]),
  ],
  ['negative numbers of a client', upgrade([`${OFFER}, lumenize.client.${'a'.repeat(32)}.-1.-1`])],
  [
    'ten names of clients',
    upgrade([OFFER + Array.from({ length: 10 }, (_, n) => `, lumenize.client.${`${n}`.repeat(32)}.1.1`)]),
  ],
  ['the tag of another identity', upgrade([`${OFFER}, lumenize.as.${'a'.repeat(5000)}`])],
  ['ten tokens', upgrade([`${OFFER}${', lumenize.token.YQ'.repeat(10)}`])],
  // The upgrade itself.
  ['an upgrade to something else', { path: VICTIM_PATH, headers: ['Connection: Upgrade', 'Upgrade: h2c', OFFER] }],
  ['a subprotocol without an upgrade', { path: VICTIM_PATH, headers: [OFFER] }],
  [
    'a subprotocol of another version without an upgrade',
    { path: VICTIM_PATH, headers: ['Sec-WebSocket-Protocol: lumenize.rpc.9'] },
  ],
  ['an upgrade without a key', { path: VICTIM_PATH, headers: [...UPGRADE.slice(0, 3), OFFER] }],
  ['a key that is none', { path: VICTIM_PATH, headers: [...UPGRADE.slice(0, 3), 'Sec-WebSocket-Key: \xff', OFFER] }],
  [
    'an upgrade of version 99',
    { path: VICTIM_PATH, headers: [...UPGRADE.slice(0, 2), 'Sec-WebSocket-Version: 99', OFFER] },
  ],
  ['an upgrade by POST', { ...upgrade([OFFER]), method: 'POST' }],
  ['an upgrade with a body', { ...upgrade([OFFER, 'Content-Length: 5']), body: 'hello' }],
  [
    'extensions that are none',
    upgrade([OFFER, `Sec-WebSocket-Extensions: permessage-deflate; ${'x=1;'.repeat(2000)}`]),
  ],
  // The origin.
  ['an origin that is no URL', upgrade([OFFER, 'Origin: http://['])],
  ['the origin null', upgrade([OFFER, 'Origin: null'])],
  ['two origins', upgrade([OFFER, 'Origin: http://a.test', 'Origin: http://127.0.0.1'])],
  ['an origin of ten thousand characters', upgrade([OFFER, `Origin: http://${'a'.repeat(10_000)}`])],
  // The URL.
  ['an instance of a zero byte', upgrade([OFFER], '/rpc/victim/%00')],
  ['an instance that is no UTF-8', upgrade([OFFER], '/rpc/victim/%ff%fe')],
  ['an instance that is cut off', upgrade([OFFER], '/rpc/victim/%E0%A4%A')],
  ['an instance of bytes', upgrade([OFFER], '/rpc/victim/\xff\xfe')],
  ['an instance of ten thousand characters', upgrade([OFFER], `/rpc/victim/${'a'.repeat(10_000)}`)],
  ['a URL of a megabyte', upgrade([OFFER], `/rpc/victim/${'a'.repeat(1_000_000)}`)],
  ['an instance that leads elsewhere', upgrade([OFFER], '/rpc/victim/..%2f..%2fadmin')],
  ['an id of no object', upgrade([OFFER], `/rpc/victim/${'f'.repeat(64)}`)],
  ['the binding __proto__', upgrade([OFFER], '/rpc/__proto__/x')],
  ['the binding constructor', upgrade([OFFER], '/rpc/constructor/x')],
  ['the binding toString', upgrade([OFFER], '/rpc/toString/x')],
  ['a binding that is cut off', upgrade([OFFER], '/rpc/%/x')],
  ['slashes only', upgrade([OFFER], '/rpc//////')],
  ['a question without an end', upgrade([OFFER], `${VICTIM_PATH}?${'a='.repeat(5000)}&%%%`)],
  // Batches.
  ['a batch of garbage', batch('application/x-lumenize-rpc; version=3', '\xff\xff\xff\xff garbage')],
  ['a batch that claims four gigabytes', batch('application/x-lumenize-rpc; version=3', '\xff\xff\xff\xff')],
  ['a batch of brackets', batch('application/x-lumenize-rpc; version=3', '['.repeat(1_000_000))],
  ['a batch of empty lines', batch('application/x-lumenize-rpc; version=3', '\n'.repeat(1_000_000))],
  ['a batch of bytes that are cut off', batch('application/x-lumenize-rpc; version=3', '\0\0\0\x05[1')],
  ['a batch of no version', batch('application/x-lumenize-rpc', '')],
  ['a batch of versions', batch(`application/x-lumenize-rpc${'; version=3'.repeat(100)}`, '')],
  ['a batch of a version that is none', batch('application/x-lumenize-rpc; version=\xff', 'x')],
  [
    'a batch that is shorter than it says',
    {
      ...batch('application/x-lumenize-rpc; version=3', ''),
      headers: ['Content-Type: application/x-lumenize-rpc; version=3', 'Content-Length: 0'],
    },
  ],
];

function upgrade(headers: readonly string[], path = VICTIM_PATH): RawRequest {
  return { path, headers: [...UPGRADE, ...headers] };
}

function batch(type: string, body: string): RawRequest {
  return {
    method: 'POST',
    path: VICTIM_PATH,
    headers: [`Content-Type: ${type}`, `Content-Length: ${body.length}`],
    body,
  };
}

export const CONNECTION_ATTACKS: Partial<Record<Where, readonly Attack[]>> = {
  tRPC: BAD.map(([what, request]) => ({
    name: `${what}: answered, and neither the Worker nor the object fails`,
    async run({ worker }) {
      const status = await rawStatus(worker.port, request);
      // Taken up, and closed with a reason; or a status that blames the client. Some never get past the runtime, which hangs up.
      expect(status ?? 400).toSatisfy((code: number) => code === 101 || code === 200 || (code >= 400 && code < 500));
    },
  })),
};
