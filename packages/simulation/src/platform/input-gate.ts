interface Waiting {
  readonly begin: () => void;
  readonly section: object | undefined;
}

/**
 * Lets events into an object one after the other, in the order in which they came. It lets in none while the object
 * waits for storage, and during a critical section only events that the section caused.
 */
export class InputGate {
  readonly #later: (job: () => void) => void;
  readonly #waiting: Waiting[] = [];
  /** The critical sections that are running, the innermost last. */
  readonly #sections: object[] = [];
  #locks = 0;
  #isReleasing = false;

  /** Creates a gate. `later` runs a job in a task of its own. */
  constructor(later: (job: () => void) => void) {
    this.#later = later;
  }

  get isIdle(): boolean {
    return this.#locks === 0 && this.#sections.length === 0 && this.#waiting.length === 0;
  }

  /** Begins an event, now or as soon as the gate is open for it. */
  admit(begin: () => void, section: object | undefined): void {
    const isNext = !this.#waiting.some((waiting) => waiting.section === section);
    if (isNext && this.#locks === 0 && this.#isOpenFor(section)) begin();
    else {
      this.#waiting.push({ begin, section });
      this.#release();
    }
  }

  lock(): void {
    this.#locks++;
  }

  unlock(): void {
    this.#locks--;
    this.#release();
  }

  enter(section: object): void {
    this.#sections.push(section);
  }

  leave(section: object): void {
    this.#sections.splice(this.#sections.lastIndexOf(section), 1);
    this.#release();
  }

  #isOpenFor(section: object | undefined): boolean {
    return (
      this.#sections.at(-1) === section ||
      (section !== undefined && !this.#sections.includes(section) && this.#sections.length === 0)
    );
  }

  /** Lets in waiting events. Each has a task of its own, so that it may lock the gate again. */
  #release(): void {
    if (this.#isReleasing || this.#locks > 0) return;
    if (!this.#waiting.some(({ section }) => this.#isOpenFor(section))) return;
    this.#isReleasing = true;
    this.#later(() => {
      this.#isReleasing = false;
      if (this.#locks > 0) return;
      const next = this.#waiting.findIndex(({ section }) => this.#isOpenFor(section));
      if (next < 0) return;
      const [{ begin }] = this.#waiting.splice(next, 1);
      try {
        begin();
      } finally {
        this.#release();
      }
    });
  }
}
