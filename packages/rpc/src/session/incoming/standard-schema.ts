/**
 * A schema of any library that follows the Standard Schema specification, version 1, as Zod, Valibot, ArkType and more do.
 * `Output` is the type of what it returns.
 */
export interface StandardSchema<out Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  };
}

/** What became of a value: the output, which defaults and transforms may have changed, or what is wrong with it. */
export type StandardResult<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** One schema of the arguments' list, or a list of one schema for each argument. */
export type ArgumentSchemas<Args extends readonly unknown[]> =
  | StandardSchema<Readonly<Args>>
  | { readonly [Index in keyof Args]: StandardSchema<Args[Index]> };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Whether a value has the interface; the schemas of some libraries are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  const standard = (value as Partial<StandardSchema>)['~standard'];
  return standard?.version === 1 && typeof standard.validate === 'function';
}
