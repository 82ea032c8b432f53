import { describeValue } from '../../../../tools/difference/describe-value.ts';

/** What came of an expression: its value, or what was wrong with it in words. */
export type Evaluated = { readonly value: unknown } | { readonly problem: string };

/**
 * Evaluates a JavaScript expression in this page, as a module of its own: the page's policy forbids `eval`, and so the
 * expression may use `await`. Nothing of it is sent anywhere. Resolves with undefined where `signal` is aborted before there
 * is a value: what is awaited may never come.
 */
export async function evaluate(expression: string, signal: AbortSignal): Promise<Evaluated | undefined> {
  if (expression.trim() === '') return { problem: 'Type an expression, such as new Map([["a", 1]]).' };
  // A name in which the value stays as it is: the value of a module's own promise would be awaited.
  const source = `export const box = { value: (\n${expression}\n) };`;
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  try {
    const module = await Promise.race([import(url) as Promise<{ box: { value: unknown } }>, untilAborted(signal)]);
    return module && { value: module.box.value };
  } catch (error) {
    return { problem: explain(error) };
  } finally {
    URL.revokeObjectURL(url);
  }
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
}

/** Says what was wrong, and where that is plain, what to do. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return `It threw ${describeValue(error)}, which is no Error.`;
  const said = `${error.name}: ${error.message}`;
  if (error instanceof SyntaxError) return `${said}. It has to be one expression: no statements, nothing left open.`;
  if (error instanceof ReferenceError) return `${said}. Only what this page and JavaScript itself define is there.`;
  return said;
}
