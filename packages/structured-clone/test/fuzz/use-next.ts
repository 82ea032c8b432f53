// Has the codec that will replace this one loaded in its place: node --import …/use-next.ts
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) => next(specifier.replace(/^@lumenize\/structured-clone$/, '$&-next'), context),
});
