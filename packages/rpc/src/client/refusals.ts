/** So many refusals come at once, before any other task. */
const AT_ONCE = 100;

let count = 0;

/**
 * Does what refuses a call: at once, but later where there have been many in this task. Who calls again as soon as a call was
 * refused would keep all else from happening, such as that the connection opens.
 */
export function refuse(job: () => void, later: (job: () => void) => void = setTimeout): void {
  if (count === 0) {
    setTimeout(() => {
      count = 0;
    });
  }
  if (++count > AT_ONCE) later(job);
  else job();
}
