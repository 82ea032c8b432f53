import { inFile, type Mutant } from './mutant.ts';

/** Defects by which one user or client gets what belongs to another. */
export const IDENTITIES: readonly Mutant[] = [
  ...inFile('server/stored-results.ts', [
    [
      'a-stored-result-answers-another-client',
      "WHERE client = ? AND call = ?',\n          client,",
      "WHERE ? IS NOT NULL AND call = ?',\n          client,",
    ],
  ]),
  ...inFile('server/rpc-server.ts', [
    ['a-client-is-not-greeted', 'if (greeting !== undefined) connection.send(greeting);', ''],
  ]),
  ...inFile('server/upgrade.ts', [
    [
      'another-identity-goes-on',
      'if (offer.tag !== undefined && offer.tag !== caller.tag) {',
      'if (offer.tag === "") {',
    ],
  ]),
  ...inFile('client/client.ts', [
    ['places-outlive-their-identity', 'this.life++;', ''],
    ['a-client-is-not-left-alone', 'if (isOfUse) this.connect();', 'this.connect();'],
    [
      'a-client-that-leaves-renews-its-identity',
      "typeof this.options.token !== 'string' && !this.isDraining",
      "typeof this.options.token !== 'string'",
    ],
    ['all-clients-have-one-name', 'this.#name ??= randomName();', "this.#name ??= '0123456789abcdef0123456789abcdef';"],
  ]),
  ...inFile('client/loss.ts', [['an-overloaded-object-is-given-up', "&& told?.code !== 'OVERLOADED'", '']]),
  ...inFile('client/offer.ts', [
    ['an-identity-is-not-shown', 'if (tag !== undefined) offer.push(IDENTITY_PREFIX + tag);', ''],
  ]),
  ...inFile('server/callers.ts', [
    [
      'identities-have-one-tag',
      'toBase64Url(new Uint8Array(digest, 0, 16))',
      "toBase64Url(new Uint8Array(digest.slice(0, 0), 0, 0)) + 'same'",
    ],
    [
      'identities-are-mixed-up',
      'return callerFrom(((request.cf ?? {}) as Record',
      'return callerFrom(({ ...((callerOf as { one?: object }).one ??= request.cf ?? {}) } as Record',
    ],
  ]),
];
