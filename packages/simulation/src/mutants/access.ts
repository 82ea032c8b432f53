import type { Mutant } from './mutant.ts';

const CHECKS = 'packages/rpc/src/server/access/served-target.ts';
const VALIDATE = 'packages/rpc/src/server/access/validate.ts';
const SERVER_SESSION = 'packages/rpc/src/server/session.ts';

/** Defects in which calls are allowed, and with which arguments. */
export const ACCESS: readonly Mutant[] = [
  {
    name: 'objects-that-do-not-serve-are-reached-too',
    file: 'packages/rpc/src/server/route-rpc.ts',
    find: 'const { bindings = theOnly(env) } = own;',
    replace: 'const bindings = Object.keys(env) as never[];',
  },
  {
    name: 'a-guard-that-answers-what-is-true-enough-lets-in',
    file: CHECKS,
    find: 'if (answer === true) return args;',
    replace: 'if (answer) return args;',
  },
  {
    name: 'a-method-runs-before-its-guard-has-answered',
    file: CHECKS,
    find: 'return isThenable(answer) ? Promise.resolve(answer).then(decide, failed) : decide(answer);',
    replace: 'return isThenable(answer) ? args : decide(answer);',
  },
  {
    name: 'a-guard-is-not-asked-where-its-schema-took-time',
    file: CHECKS,
    find: 'valid.then((args) => runThroughout(call, check, undefined, [call, args], true))',
    replace: 'valid',
  },
  {
    name: 'a-call-that-was-given-up-runs-when-its-guard-answers',
    file: 'packages/rpc/src/server/delivery/deliver.ts',
    find: 'checked.then((given) => runThroughout(call, method, receiver, given))',
    replace: 'checked.then((given) => Reflect.apply(method, receiver, given))',
  },
  {
    name: 'a-method-gets-its-arguments-as-they-came',
    file: 'packages/rpc/src/server/delivery/deliver.ts',
    find: ': run(checked);',
    replace: ': run(args);',
  },
  {
    name: 'a-guard-is-asked-about-arguments-as-they-came',
    file: CHECKS,
    find: ': check(call, valid);',
    replace: ': check(call, given);',
  },
  {
    name: 'more-arguments-than-there-are-schemas-reach-the-method',
    file: VALIDATE,
    find: 'args.length > length) {',
    replace: 'args.length > length + 1) {',
  },
  {
    name: 'of-several-schemas-only-the-first-may-take-time',
    file: VALIDATE,
    find: 'if (!results.some(isThenable))',
    replace: 'if (!isThenable(results[0]))',
  },
  {
    name: 'of-several-schemas-only-what-the-last-says-counts',
    file: VALIDATE,
    find: '(result?.issues ?? []).slice',
    replace: '((place === results.length - 1 && result?.issues) || []).slice',
  },
  {
    name: 'guards-of-getters-are-not-asked',
    file: CHECKS,
    find: 'isDelivered: isChecked || exactlyOnce || restorable,',
    replace: 'isDelivered: (isChecked && !isGetter) || exactlyOnce || restorable,',
  },
  {
    name: 'own-fields-of-a-target-do-not-hide-its-methods',
    file: 'packages/rpc/src/session/incoming/declarations.ts',
    find: 'Object.hasOwn(target, name)',
    replace: 'false',
  },
  {
    name: 'a-subclass-loses-the-guard-of-its-base-class',
    file: CHECKS,
    find: '[options, ...(all.get(name) ?? [])]',
    replace: 'all.get(name) ?? [options]',
  },
  {
    name: 'inherited-properties-of-data-can-be-reached',
    file: 'packages/rpc/src/session/data-members.ts',
    find: 'if (isPlainData(receiver) && Object.hasOwn(receiver, name)) return',
    replace: 'if (isPlainData(receiver) && name in receiver) return',
  },
  {
    name: 'who-has-renewed-an-identity-talks-to-the-target-of-the-old-one',
    file: SERVER_SESSION,
    find: 'this.target = target;\n    // The',
    replace: '// The',
  },
  {
    name: 'guards-are-asked-about-the-identity-before-the-last',
    file: SERVER_SESSION,
    find: 'this.#knowsLifetime = true;\n    this.caller = caller;',
    replace: 'this.#knowsLifetime = true;',
  },
  {
    name: 'an-identity-that-was-renewed-is-the-old-one-again-when-the-object-wakes',
    file: SERVER_SESSION,
    find: 'this.events?.renew?.(caller);',
    replace: '',
  },
  {
    name: 'a-call-runs-whose-caller-has-expired-while-it-waited',
    file: 'packages/rpc/src/session/incoming/call-context.ts',
    find: 'const isExpired = caller?.expiresAt !== undefined && Date.now() >= caller.expiresAt;',
    replace: 'const isExpired = caller === null;',
  },
  {
    name: 'a-subscriber-whose-identity-has-expired-gets-events',
    file: 'packages/rpc/src/server/connections/attachment.ts',
    find: 'const isLate = isExpired(caller.expiresAt, now);',
    replace: 'const isLate = false;',
  },
  {
    name: 'an-identity-that-is-null-is-let-in',
    file: 'packages/rpc/src/server/access/caller.ts',
    find: 'identity === null || ',
    replace: '',
  },
];
