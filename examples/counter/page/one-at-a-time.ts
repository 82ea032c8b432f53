/** Returns a function that runs the tasks given to it one after the other, in order. Tasks must not reject. */
export function oneAtATime(): (task: () => Promise<void>) => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  return (task) => {
    last = last.then(task);
    return last;
  };
}
