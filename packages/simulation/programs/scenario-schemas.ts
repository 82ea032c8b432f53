/** Returns a Standard Schema that accepts what `make` returns, and refuses what it throws for. */
export function schema(make: (value: unknown) => unknown, isLate = false): object {
  const look = (value: unknown) => {
    try {
      return { value: make(value) };
    } catch (error) {
      return { issues: [{ message: (error as Error).message }] };
    }
  };
  const validate = isLate ? (value: unknown) => later(() => look(value)) : look;
  return { '~standard': { version: 1, vendor: 'simulation', validate } };
}

/** Returns what a function returns, after 20 ms. */
export async function later<T>(make: () => T): Promise<T> {
  await new Promise((resolve) => setTimeout(resolve, 20));
  return make();
}

const number = (value: unknown): number => {
  if (typeof value !== 'number') throw new Error('no number');
  return value + 1;
};
/** Accepts a number, and adds one to it. */
export const NUMBER = schema(number);
/** Does the same, after 20 ms. */
export const LATE_NUMBER = schema(number, true);
