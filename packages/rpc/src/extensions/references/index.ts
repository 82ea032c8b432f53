import type { Extension } from '../../session/extension.ts';
import { ANSWERING } from '../../session/incoming/run.ts';
import { REFERENCES } from '../../session/references/references.ts';

/** Passes targets and functions by reference, either way, and takes calls of what was passed to the server. */
export const references: Extension = { name: 'references', values: [REFERENCES], answer: ANSWERING };
