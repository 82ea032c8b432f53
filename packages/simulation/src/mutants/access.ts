import { inFile, type Mutant } from './mutant.ts';

/** Defects in who may call what. */
export const ACCESS: readonly Mutant[] = [
  ...inFile('server/session.ts', [
    [
      'an-expired-caller-is-served',
      'if (this.hasExpired && !this.settings.isBatch) return this.drain(firstIdOf(message));',
      '',
    ],
  ]),
  ...inFile('server/answers.ts', [
    [
      'what-was-given-up-before-it-was-sent-runs',
      'if (frame[at] !== 0) this.start',
      'if (frame[at] === 0) continue;\n        else if (frame[at] !== -1) this.start',
    ],
  ]),
  ...inFile('server/members.ts', [
    ['own-properties-do-not-hide', 'return Object.hasOwn(target, name) ? undefined : declaredBy', 'return declaredBy'],
    [
      'only-the-base-class-counts',
      'if (seen.has(name)) continue;',
      'if (declared.has(name) && seen.has(name)) declared.delete(name);',
    ],
  ]),
  ...inFile('server/sockets.ts', [
    [
      'who-has-expired-gets-events',
      'if (isExpired(this.caller)) this.close',
      'if (this.caller === undefined) this.close',
    ],
  ]),
  ...inFile('server/upgrade.ts', [
    ['an-expired-caller-connects', 'if (isExpired(caller)) return refuse(request, expiredError());', ''],
  ]),
  ...inFile('server/declare.ts', [
    ['truthy-guards-let-in', 'if (answer !== true) throw refusal', 'if (!answer) throw refusal'],
    ['guards-let-everybody-in', 'if (answer !== true) throw refusal', 'if (answer === null) throw refusal'],
    [
      'only-one-guard-is-asked',
      'for (let next = at; next < guards.length; next++) {',
      'for (let next = at; next < Math.min(guards.length, 1); next++) {',
    ],
    ['guards-are-asked-for-calls-that-are-given-up', 'call.requireWanted();\n      const answer', 'const answer'],
    ['restorable-methods-are-not', 'member.isRestorable = restorable === true;', 'member.isRestorable = false;'],
    [
      'idempotent-methods-are-not',
      ': member.getter || restorable || readOnly || idempotent',
      ': member.getter || restorable || readOnly',
    ],
    [
      'read-only-methods-are-not-repeated',
      ': member.getter || restorable || readOnly || idempotent',
      ': member.getter || restorable || idempotent',
    ],
    ['exactly-once-methods-are-not', 'member.delivery = exactlyOnce\n', 'member.delivery = exactlyOnce === null\n'],
    ['a-guard-s-promise-lets-in', 'requireTrue(said, name);\n', ''],
  ]),
  ...inFile('server/validate.ts', [
    [
      'more-arguments-than-schemas-are-taken',
      'if (isEach && isLast && args.length > length) {',
      'if (isEach && isLast && args.length > length + 9) {',
    ],
    ['invalid-arguments-are-taken', 'if (issues.length > 0) throw invalid', 'if (issues.length > 99) throw invalid'],
    ['methods-get-arguments-as-they-came', 'if (!isEach) return values[0] as unknown[];', 'if (!isEach) return args;'],
  ]),
  ...inFile('server/callers.ts', [
    [
      'nobody-expires',
      'return expiresAt !== undefined && Date.now() >= expiresAt;',
      'return false && expiresAt !== undefined;',
    ],
  ]),
  ...inFile('server/route-rpc.ts', [
    [
      'unknown-users-get-in',
      'if (known === undefined || known === null || known === false) {',
      'if (known === false) {',
    ],
    [
      'objects-that-serve-nothing-are-asked',
      'const name = bindings.find((each) => normalized(String(each)) === normalized(binding));',
      'const name = Object.keys(env).find((each) => normalized(String(each)) === normalized(binding)) as never;',
    ],
  ]),
  ...inFile('server/credentials.ts', [
    [
      'tokens-are-not-read',
      'const shown = offered.length > 0 || bearer === undefined ? offered : [bearer];',
      'const shown = bearer === undefined ? [] : [bearer];',
    ],
  ]),
];
