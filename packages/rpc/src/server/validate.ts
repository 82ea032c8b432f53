import { type RpcError, refusal } from '../errors.ts';
import { isPromise } from '../peer/writer.ts';
import { defective } from './defect.ts';
import type { StandardIssue, StandardResult, StandardSchema } from './method-options.ts';

/** A reason why the arguments of a call are refused. `path` begins with the place of the argument. */
export interface ArgumentIssue {
  readonly message: string;
  readonly path: readonly (string | number)[];
}

type ArgumentSchemas = StandardSchema | readonly StandardSchema[];

/** Returns the arguments for the method. Throws the error for the caller, or rejects with it. */
export type Validator = (args: unknown[]) => unknown[] | Promise<unknown[]>;

/** The largest number of issues in an error. More are no help, and a call of a few bytes could cause many. */
const MAX_ISSUES = 100;

/**
 * Makes the validator of a method from one schema for its list of arguments, or from a schema for each argument. `name`
 * is the method's name in messages. Of several validators, the last one says how many arguments there may be.
 */
export function createValidator(schema: ArgumentSchemas, name: string, isLast: boolean): Validator {
  // The issues of a schema for the whole list begin with the place of the argument already.
  const isEach = isList(schema);
  const schemas = isEach ? schema : [schema];
  const finish = (results: readonly (StandardResult | undefined)[], args: unknown[]): unknown[] => {
    const issues = results.flatMap((result, place) =>
      (result?.issues ?? []).slice(0, MAX_ISSUES).map((issue) => issueAt(isEach ? [place] : [], issue)),
    );
    if (issues.length > 0) throw invalid(name, issues.slice(0, MAX_ISSUES));
    const values = results.map((result) => (result as { value: unknown } | undefined)?.value);
    // Without `value` it is no result, such as the value itself, or nothing.
    if (!results.every((result) => 'value' in Object(result)) || !(isEach || Array.isArray(values[0]))) {
      throw defect(name, new TypeError(`a schema of ${name} returned no result, or no list of arguments`));
    }
    if (!isEach) return values[0] as unknown[];
    values.push(...args.slice(schemas.length));
    // Drops trailing arguments that neither the caller nor a schema has given: a method with `...rest` would see them.
    while (values.length > args.length && values.at(-1) === undefined) values.pop();
    return values;
  };
  return (args) => {
    const { length } = schemas;
    if (isEach && isLast && args.length > length) {
      const expected = `at most ${length} argument${length === 1 ? '' : 's'}`;
      throw invalid(name, [{ message: `expected ${expected}, got ${args.length}`, path: [length] }]);
    }
    const results: (StandardResult | Promise<StandardResult>)[] = [];
    try {
      for (const [place, each] of schemas.entries()) {
        results.push(each['~standard'].validate(isEach ? args[place] : args));
      }
    } catch (error) {
      // A promise among the results may reject as well, so none is left without a handler.
      results.push(Promise.reject(error));
    }
    if (!results.some(isPromise)) return finish(results as StandardResult[], args);
    return Promise.all(results).then(
      (settled) => finish(settled, args),
      (error) => {
        throw defect(name, error);
      },
    );
  };
}

function isList(schema: ArgumentSchemas): schema is readonly StandardSchema[] {
  return Array.isArray(schema);
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
  const what = `arguments of ${name}: at ${path.join('.') || 'all'}: ${message}${more}`;
  return refusal('INVALID_ARGUMENTS', what, { data: { issues } });
}

function defect(name: string, cause: unknown): RpcError {
  return defective(refusal('INTERNAL', `the arguments of ${name} could not be checked`), cause);
}
