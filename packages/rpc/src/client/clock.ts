/** Tells how long ago something was, in milliseconds: never less than it was. */
export class Clock {
  /** By how much the date was ahead of what is counted. */
  #ahead: number | undefined;

  now(): number {
    const counted = performance.now();
    this.#ahead ??= Date.now() - counted;
    return counted;
  }

  /** The time since `now()` returned a number. What is counted may stand still while a machine sleeps: by the date it does not. */
  since(time: number): number {
    const counted = this.now();
    const slept = Date.now() - counted - this.#ahead!;
    return counted - time + Math.max(0, slept);
  }
}
