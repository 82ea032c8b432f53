import { fileURLToPath } from 'node:url';

/** The repository's root directory. */
export const ROOT: string = fileURLToPath(new URL('../../..', import.meta.url));
