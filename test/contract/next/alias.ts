import { registerHooks } from 'node:module';

// Loads the core that is written anew under the names of the one that it replaces. For threads: see vitest.config.ts.

const source = new URL('../../../packages/rpc-next/src/', import.meta.url);

registerHooks({
  resolve(specifier, context, next) {
    const [, entry] = /^@lumenize\/rpc\/?(.*)$/.exec(specifier) ?? [];
    return next(entry === undefined ? specifier : new URL(`${entry || 'index'}.ts`, source).href, context);
  },
});
