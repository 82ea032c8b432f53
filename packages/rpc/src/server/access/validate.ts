import { RpcError } from '../../errors/rpc-error.ts';
import type { StandardIssue, StandardResult, StandardSchema } from '../../session/incoming/standard-schema.ts';
import { noteRefused } from '../../session/incoming/thrown.ts';

/** A reason why a call's arguments are refused; `path` begins with the place of the argument. */
export interface ArgumentIssue {
  readonly message: string;
  readonly path: readonly (string | number)[];
}

/** Returns what the method is to get; throws, or rejects with, the error for the caller. */
export type Validator = (args: unknown[]) => unknown[] | Promise<unknown[]>;

/** More than these help nobody, and a few bytes could ask for an answer of many. */
const MAX_ISSUES = 100;

/** Makes the validator of a method, called `name` in messages, from a schema of its arguments' list or a list of schemas. */
export function createValidator(schema: StandardSchema | readonly StandardSchema[], name: string): Validator {
  const validate = isList(schema) ? (args: unknown[]) => validateEach(schema, args) : validateList(schema);
  const finish = ({ issues, value }: Validated): unknown[] => {
    if (issues.length > 0) throw invalid(name, issues);
    if (!Array.isArray(value)) throw defect(name, new TypeError(`the schema of ${name} makes no list of arguments`));
    return value;
  };
  return (args) => {
    let validated: Validated | Promise<Validated>;
    try {
      validated = validate(args);
    } catch (error) {
      throw defect(name, error);
    }
    if (!(validated instanceof Promise)) return finish(validated);
    return validated.then(finish, (error) => {
      throw defect(name, error);
    });
  };
}

interface Validated {
  readonly value: unknown;
  readonly issues: readonly ArgumentIssue[];
}

function isList(schema: StandardSchema | readonly StandardSchema[]): schema is readonly StandardSchema[] {
  return Array.isArray(schema);
}

function validateList(schema: StandardSchema) {
  const validated = (result: StandardResult): Validated =>
    result.issues === undefined
      ? { value: result.value, issues: [] }
      : { value: undefined, issues: result.issues.slice(0, MAX_ISSUES).map((issue) => issueAt([], issue)) };
  return (args: unknown[]): Validated | Promise<Validated> => {
    const result = schema['~standard'].validate(args);
    return result instanceof Promise ? result.then(validated) : validated(result);
  };
}

function validateEach(schemas: readonly StandardSchema[], args: unknown[]): Validated | Promise<Validated> {
  if (args.length > schemas.length) {
    const expected = `at most ${schemas.length} argument${schemas.length === 1 ? '' : 's'}`;
    return {
      value: undefined,
      issues: [{ message: `expected ${expected}, got ${args.length}`, path: [schemas.length] }],
    };
  }
  const results = schemas.map((schema, place) => schema['~standard'].validate(args[place]));
  const finish = (settled: StandardResult[]): Validated => {
    const value: unknown[] = [];
    const issues: ArgumentIssue[] = [];
    for (const [place, result] of settled.entries()) {
      if (result.issues !== undefined)
        issues.push(...result.issues.slice(0, MAX_ISSUES).map((each) => issueAt([place], each)));
      else value[place] = result.value;
    }
    // What was neither given nor made up stays away: to a method with `...rest` it would be something.
    while (value.length > args.length && value.at(-1) === undefined) value.pop();
    return { value, issues: issues.slice(0, MAX_ISSUES) };
  };
  return results.some((result) => result instanceof Promise)
    ? Promise.all(results).then(finish)
    : finish(results as StandardResult[]);
}

function issueAt(place: readonly number[], { message, path = [] }: StandardIssue): ArgumentIssue {
  const keys = Array.from(path, (step) => {
    const key = typeof step === 'object' ? step.key : step;
    return typeof key === 'number' ? key : String(key);
  });
  return { message, path: [...place, ...keys] };
}

function invalid(name: string, issues: readonly ArgumentIssue[]): RpcError {
  const [{ message, path }] = issues;
  const more = issues.length > 1 ? `, and ${issues.length - 1} more` : '';
  const error = new RpcError(
    'INVALID_ARGUMENTS',
    `arguments of ${name}: at ${path.join('.') || 'all'}: ${message}${more}`,
    {
      data: { issues },
    },
  );
  return noteRefused(error);
}

function defect(name: string, cause: unknown): RpcError {
  return noteRefused(new RpcError('INTERNAL', `the arguments of ${name} could not be checked`), { defect: cause });
}
