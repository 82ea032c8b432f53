// `npm run tool -- <name> [options]`: runs a tool of tools.ts, or lists them.
import { requireNode } from './node-version.mjs';

requireNode();
await import('./main.ts');
