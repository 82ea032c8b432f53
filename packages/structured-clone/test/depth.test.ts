import { CloneError, stringify } from '@lumenize/structured-clone';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { MIXED, NESTINGS, type Nesting, nest } from './deep.ts';
import { FORMS } from './forms.ts';
import { sameGraph } from './graph/same-graph.ts';

/** As deep as values go without other limits. */
const DEEP = 999;

// Hundreds of thousands of errors are made here, whose stacks would take most of the time.
const { stackTraceLimit } = Error;
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

describe.each(FORMS)('as $name', (form) => {
  describe(`${DEEP} levels arrive`, () => {
    test.each([...NESTINGS, MIXED])('of $name', (nesting) => {
      const deep = nest(nesting, DEEP);
      expect(sameGraph(deep, form.read(form.write(deep)))).toBeUndefined();
    });
  });

  describe('twenty thousand levels are refused by both sides as a rule', () => {
    // flatted CVE-2026-32141, seroval CVE-2026-24006, @ungap/structured-clone: recursion that the peer controls.
    test.each([...NESTINGS, MIXED])('of $name', (nesting) => {
      const deep = nest(nesting, 20_000);
      expect(attempt(() => form.write(deep))).toMatchObject({ code: 'LIMIT_EXCEEDED' });
      const refusal = attempt(() => form.read(deepText(nesting, 20_000)));
      expect(refusal).toBeInstanceOf(CloneError);
      expect(refusal).toMatchObject({ code: 'LIMIT_EXCEEDED', message: expect.stringContaining('maxDepth') });
    });
  });

  test.each(NESTINGS)('one level more than maxDepth is refused by both sides, of $name', (nesting) => {
    const limits = { maxDepth: 100 };
    expect(form.write(nest(nesting, 99), { limits })).toBeDefined();
    const deep = nest(nesting, 101);
    const encoding = form.write(deep);
    for (const run of [() => form.write(deep, { limits }), () => form.read(encoding, { limits })]) {
      expect(attempt(run)).toMatchObject({ message: 'maxDepth of 100 exceeded' });
    }
  });

  describe.each([0, 62, 63, 64, 65, 200])('%i levels deep', (times) => {
    const wrap = (inner: unknown): unknown => [inner];
    const init = { headers: { 'set-cookie': 'a=b', 'x-a': 'b, c' } };

    function innermost(value: unknown): unknown {
      let inner = value;
      while (Array.isArray(inner)) [inner] = inner;
      return inner;
    }

    test.each([
      ['a request', new Request('http://a.test/', init)],
      ['a response', new Response(null, init)],
    ])('%s has its headers', (_name, message) => {
      let value: unknown = message;
      for (let left = times; left > 0; left--) value = wrap(value);
      const { headers } = innermost(form.read(form.write(value))) as Response;
      expect([...headers]).toEqual([...message.headers]);
    });

    test('headers that a response further out has too are those of both', () => {
      const response = new Response(null, init);
      let value: unknown = response.headers;
      for (let left = times; left > 0; left--) value = wrap(value);
      const [deep, outer] = form.read(form.write([value, response])) as [unknown, Response];
      expect([...(innermost(deep) as Headers)]).toEqual([...response.headers]);
      expect([...outer.headers]).toEqual([...response.headers]);
    });
  });

  test('a reference reaches over all levels', () => {
    const shared = { shared: true };
    const value = [shared, nest({ name: '', wrap: (inner) => ({ inner, shared }) }, 900), shared];
    expect(sameGraph(value, form.read(form.write(value)))).toBeUndefined();
  });

  test('what cannot be sent is found under all levels', () => {
    const times = DEEP - 1;
    const hidden = nest({ name: '', wrap: (inner) => [inner] }, times) as unknown[];
    let innermost: unknown[] = hidden;
    while (Array.isArray(innermost[0])) innermost = innermost[0];
    innermost[0] = Symbol('x');
    expect(attempt(() => form.write(hidden))).toMatchObject({
      code: 'NOT_CLONEABLE',
      path: `value${'[0]'.repeat(times)}`,
    });
  });
});

/** Makes a text that nests deeper than any that is written. */
function deepText({ wrap }: Nesting, times: number): string {
  const [begin, end] = stringify(wrap('innermost')).split('"innermost"');
  const isMarked = begin.startsWith('{"$":');
  const before = begin.slice(isMarked ? '{"$":'.length : 0);
  const after = isMarked ? end.slice(0, -1) : end;
  return begin + before.repeat(times - 1) + 0 + after.repeat(times - 1) + end;
}
