let sum = 0;

export const add = (number: number) => {
  sum += number;
  return sum;
};

export const fail = (_: undefined): Promise<never> => Promise.reject(new Error('wrong answer'));

export const die = (_: undefined): Promise<never> => process.exit(3);
