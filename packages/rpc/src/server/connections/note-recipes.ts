import { RpcError } from '../../errors/rpc-error.ts';
import type { ExportsWatcher } from '../../session/references/exports.ts';
import type { ConnectionMemory } from '../../session/references/memory.ts';
import { recipeOf } from '../../session/references/recipes.ts';

/**
 * Has a connection remember how to derive again what its client holds of the session's target, which may be another one by then;
 * `onError` is told where there is no room for that.
 */
export function noteRecipes(
  memory: ConnectionMemory,
  session: { readonly target: unknown },
  onError: (error: RpcError) => void,
): ExportsWatcher {
  return {
    added: (id, value) => {
      const recipe = recipeOf(value, session.target);
      if (recipe === undefined || memory.remember(id, recipe)) return;
      const message = 'no room to note how to restore a reference: it will be lost when the object hibernates';
      onError(new RpcError('LIMIT_EXCEEDED', message));
    },
    removed: (id) => memory.forget(id),
  };
}
