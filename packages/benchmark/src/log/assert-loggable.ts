/**
 * Throws where what was measured, or is about to be, is a tree that differs from its commit: nobody else could measure it
 * again. With `allowDirty` its entry is marked instead.
 */
export function assertLoggable({ dirty }: { readonly dirty: boolean }, allowDirty = false): void {
  if (!dirty || allowDirty) return;
  throw new Error(
    'the tree differs from its commit, and an entry of it could not be repeated: commit first, or allow it by ' +
      '--allow-dirty (MEASURE_ALLOW_DIRTY=1 with npm test)',
  );
}
