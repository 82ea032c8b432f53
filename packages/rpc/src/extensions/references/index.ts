import type { Extension } from '../../session/extension.ts';
import { callFunction, callMember, readMember } from '../../session/incoming/members.ts';
import { ANSWERING } from '../../session/incoming/run.ts';
import { REFERENCE_LIMITS } from '../../session/limits.ts';
import { REFERENCES } from '../../session/references/references.ts';

/** Passes targets and functions by reference in both directions, and answers calls of those passed to the server. */
export const references: Extension = {
  name: 'references',
  limits: REFERENCE_LIMITS,
  values: [REFERENCES],
  answer: ANSWERING,
  members: { read: readMember, call: callMember, apply: callFunction },
};
