import type { Extension } from '../../session/extension.ts';
import { ANSWERING } from '../../session/incoming/answering.ts';

/** Takes calls of the server, of targets and functions that were passed to it. */
export const references: Extension = { name: 'references', answer: ANSWERING };
