import * as v from 'valibot';
import type { SessionRequest } from './gateway.ts';

/** What a request for a session has to look like: the same schema in every subject. */
export const SESSION_REQUEST: v.GenericSchema<SessionRequest> = v.object({
  title: v.pipe(v.string(), v.minLength(1), v.maxLength(100)),
  agent: v.picklist(['coder', 'writer']),
});

/** Returns the request; throws where it is none. */
export function parseRequest(request: unknown): SessionRequest {
  return v.parse(SESSION_REQUEST, request);
}
