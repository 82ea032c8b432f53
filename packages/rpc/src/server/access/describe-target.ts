import type { RpcTarget } from '#platform';
import { DESCRIPTION_TYPE, type MemberDescription, type TargetDescription } from '../../protocol/description.ts';
import { type Declared, declaredBy, memberOf, optionsOf } from '../../session/incoming/declarations.ts';

/** Whether a request asks what an object declares: a GET that accepts nothing but the type of descriptions. */
export function asksForDescription(request: Request): boolean {
  return request.method === 'GET' && request.headers.get('Accept') === DESCRIPTION_TYPE;
}

/** Answers with what a target declares, which its class and the caller decide. */
export function answerDescription(target: RpcTarget): Response {
  const body = JSON.stringify(describeTarget(target));
  // What one caller may call is not for a cache to tell another.
  return new Response(body, { headers: { 'Content-Type': DESCRIPTION_TYPE, 'Cache-Control': 'no-store' } });
}

/** Describes the methods and getters that a target's classes declare, by name, and what they say of them. */
export function describeTarget(target: RpcTarget): TargetDescription {
  const options = optionsOf(Object.getPrototypeOf(target));
  const members = [...declaredBy(target)]
    .filter(([name]) => memberOf(target, name) !== undefined)
    .map(([name, declared]) => describeMember(name, declared, options.get(name) ?? {}));
  return { name: target.constructor.name, members: members.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function describeMember(name: string, declared: Declared, options: object): MemberDescription {
  const said = Object.entries(options).filter(([, value]) => value !== undefined && value !== false);
  return { name, kind: declared.method === undefined ? 'getter' : 'method', options: said.map(([option]) => option) };
}
