export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Does something, and says what came of it: also where it throws. */
export const saying = (job: () => unknown) => {
  try {
    return job() ?? 'done';
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
};
