import { fetchDescription } from '@lumenize/inspect';
import { connectHttp } from '@lumenize/rpc/http';

/** A schema that says what it is in JSON Schema, as those of Zod and ArkType do. */
export interface Schema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly jsonSchema: { readonly input: (options: { target: 'draft-2020-12' }) => Record<string, unknown> };
  };
}

/** A class of targets whose methods take one object each, which a schema checks. */
export interface ToolClass {
  readonly rpc: Readonly<Record<string, { readonly args?: readonly unknown[]; readonly idempotent?: boolean }>>;
  readonly about: Readonly<Record<string, string>>;
}

export interface Tool {
  readonly name: string;
  readonly about: string | undefined;
  readonly isReading: boolean;
  readonly schema: Schema;
  call(input: unknown): Promise<unknown>;
}

/** Serves requests to `/rpc/…`, with origins and tokens checked, as from outside. */
export type Route = (request: Request) => Promise<Response>;

/**
 * Finds what a caller may call of an object, by asking the object, and how it is called, by its class. Calls go the same way as those
 * from outside: schemas, guards and rates hold for models too.
 */
export async function toolsOf(url: URL, token: string | undefined, route: Route, declared: ToolClass): Promise<Tool[]> {
  const fetch = (url: string, init: RequestInit) => route(new Request(url, init));
  const { members } = (await fetchDescription(url, { token, fetch })) ?? { members: [] };
  const stub = connectHttp<Record<string, (input: unknown) => unknown>>(url, { token, fetch });
  return members.flatMap(({ name }) => {
    const { args = [], idempotent = false } = declared.rpc[name] ?? {};
    const [schema, ...others] = args as Schema[];
    if (schema === undefined || others.length > 0) return [];
    const call = async (input: unknown) => await stub[name](input);
    return [{ name, about: declared.about[name], isReading: idempotent, schema, call }];
  });
}
