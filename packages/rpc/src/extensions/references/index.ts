import type { Extension } from '../../session/extension.ts';
import { ANSWERING } from '../../session/incoming/run.ts';
import { REFERENCE_LIMITS } from '../../session/limits.ts';
import { REFERENCES } from '../../session/references/references.ts';

/** Passes targets and functions by reference, either way, and takes calls of what was passed to the server. */
export const references: Extension = {
  name: 'references',
  limits: REFERENCE_LIMITS,
  values: [REFERENCES],
  answer: ANSWERING,
};
