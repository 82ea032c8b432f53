import type { Tell } from '../../src/engine/client-process.ts';

let sum = 0;

export const add = (number: number) => {
  sum += number;
  return sum;
};

/** Takes longer than what it tells is kept back. */
export async function slow(steps: number, tell: Tell): Promise<void> {
  for (let i = 1; i <= steps; i++) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    tell(i);
  }
}

export const fail = (_: undefined): Promise<never> => Promise.reject(new Error('wrong answer'));

export const die = (_: undefined): Promise<never> => process.exit(3);
