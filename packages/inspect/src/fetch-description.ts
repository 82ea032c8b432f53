import { RpcError } from '../errors/rpc-error.ts';
import { errorOfClose } from '../protocol/errors.ts';
import { DESCRIPTION_TYPE, type MemberDescription, type TargetDescription } from '../protocol/http.ts';
import type { URL as PlatformUrl, RequestInit, Response } from '../protocol/platform-types.ts';
import { authorizationOf } from '../protocol/version.ts';
import { closeOfResponse } from '../transport/http.ts';

type URL = PlatformUrl;

/** Options for `fetchDescription`. */
export interface FetchDescriptionOptions {
  /** Token of the caller, sent as `Authorization: Bearer`. */
  token?: string | null | undefined;
  /** The function that makes the request, such as the `fetch` of a service binding. @default the platform's `fetch` */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/**
 * Fetches the description of an object from its URL: the members that its target declares for this caller. Returns
 * undefined unless the object has the option `discoverable`.
 * @throws {RpcError} `DENIED`, `NOT_FOUND` and the like if the server refuses, `NOT_EXECUTED` if it cannot be reached,
 *   `MALFORMED_FRAME` if its answer is not a description
 */
export async function fetchDescription(
  url: string | URL,
  { token, fetch = globalThis.fetch }: FetchDescriptionOptions = {},
): Promise<TargetDescription | undefined> {
  const where = new URL(String(url).replace(/^ws/, 'http'));
  const headers = new Headers({ Accept: DESCRIPTION_TYPE });
  if (token != null) headers.set('Authorization', authorizationOf(token));
  let response: Response;
  try {
    response = await fetch(where.href, { headers });
  } catch (cause) {
    throw new RpcError('NOT_EXECUTED', `${where} cannot be reached: is the Worker running?`, { cause });
  }
  if (response.ok && response.headers.get('Content-Type') === DESCRIPTION_TYPE) {
    const description: unknown = await response.json().catch(() => undefined);
    if (isDescription(description)) return description;
    throw new RpcError('MALFORMED_FRAME', `${where} answered with no description of a target`);
  }
  const { reason } = await closeOfResponse(where.href, response);
  if (response.ok || response.status === 426) return undefined;
  throw errorOfClose(reason);
}

function isDescription(value: unknown): value is TargetDescription {
  const { name, members } = (value ?? {}) as Partial<TargetDescription>;
  const isText = (each: unknown) => typeof each === 'string';
  const isMember = ({ name, kind, options }: Partial<MemberDescription>) =>
    isText(name) && (kind === 'method' || kind === 'getter') && Array.isArray(options) && options.every(isText);
  return isText(name) && Array.isArray(members) && members.every((member) => isMember(member ?? {}));
}
