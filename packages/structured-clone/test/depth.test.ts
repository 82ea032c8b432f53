import { CloneError } from '@lumenize/structured-clone';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attempt } from './attempt.ts';
import { MIXED, NESTINGS, nest } from './deep.ts';
import { FORMS } from './forms.ts';
import { sameGraph } from './graph/same-graph.ts';

/** Deeper than any recursion gets within the stack of a thread. */
const DEEP = 30_000;
/** So deep that time or memory that grew with the square of it would show. */
const DEPTH = 100_000;
const RAISED = { limits: { maxDepth: 3 * DEPTH, maxObjects: 10 * DEPTH } };

// Hundreds of thousands of errors are made here, whose stacks would take most of the time.
const { stackTraceLimit } = Error;
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

describe.each(FORMS)('as $name', (form) => {
  describe('thirty thousand levels arrive within raised limits', () => {
    test.each(NESTINGS)('of $name', (nesting) => {
      const deep = nest(nesting, DEEP);
      expect(sameGraph(deep, form.read(form.write(deep, RAISED), RAISED))).toBeUndefined();
    });

    test(`and a hundred thousand of ${MIXED.name}`, () => {
      const deep = nest(MIXED, DEPTH / NESTINGS.length);
      expect(sameGraph(deep, form.read(form.write(deep, RAISED), RAISED))).toBeUndefined();
    });
  });

  describe('twenty thousand levels are refused by both sides as a rule', () => {
    // flatted CVE-2026-32141, seroval CVE-2026-24006, @ungap/structured-clone: recursion that the peer controls.
    test.each([...NESTINGS, MIXED])('of $name', (nesting) => {
      const deep = nest(nesting, 20_000);
      const encoding = form.write(deep, RAISED);
      expect(attempt(() => form.write(deep))).toMatchObject({ code: 'LIMIT_EXCEEDED' });
      const refusal = attempt(() => form.read(encoding));
      expect(refusal).toBeInstanceOf(CloneError);
      expect(refusal).toMatchObject({ code: 'LIMIT_EXCEEDED', message: expect.stringContaining('maxDepth') });
    });
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

  test('a reference reaches over a hundred thousand levels', () => {
    const shared = { shared: true };
    const value = [shared, nest({ name: '', wrap: (inner) => ({ inner, shared }) }, DEPTH), shared];
    expect(sameGraph(value, form.read(form.write(value, RAISED), RAISED))).toBeUndefined();
  });

  test('what cannot be sent is found under a hundred thousand levels', () => {
    const hidden = nest({ name: '', wrap: (inner) => [inner] }, DEPTH) as unknown[];
    let innermost: unknown[] = hidden;
    while (Array.isArray(innermost[0])) innermost = innermost[0];
    innermost[0] = Symbol('x');
    expect(attempt(() => form.write(hidden, RAISED))).toMatchObject({
      code: 'NOT_CLONEABLE',
      path: `value${'[0]'.repeat(DEPTH)}`,
    });
  });
});
