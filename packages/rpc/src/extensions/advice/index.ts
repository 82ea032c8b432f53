import { located } from '@lumenize/structured-clone/messages';
import type { Extension } from '../../session/extension.ts';

/** Adds to errors of values that cannot be sent where in the argument or result they are, and what to pass instead. */
export const advice: Extension = { name: 'advice', locate: located };
