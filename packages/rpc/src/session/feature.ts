import { type Loadable, NotLoaded } from '../errors/not-loaded.ts';
import { RpcError } from '../errors/rpc-error.ts';

/** A part of the library that most pages never use: a server has it from the beginning, a client loads it when it is first needed. */
export class Feature<Part> implements Loadable {
  readonly name: string;
  readonly #import: () => Promise<Part>;
  #part: Part | undefined;

  constructor(name: string, load: () => Promise<Part>) {
    this.name = name;
    this.#import = load;
  }

  /** The part; undefined where it is not there. */
  get loaded(): Part | undefined {
    return this.#part;
  }

  /**
   * The part, for code that runs again when it has been loaded.
   * @throws {NotLoaded} where it is not there
   */
  get part(): Part {
    if (this.#part === undefined) throw new NotLoaded(this);
    return this.#part;
  }

  /** Hands the part over, so that nothing is ever loaded. */
  provide(part: Part): void {
    this.#part = part;
  }

  /** @throws {RpcError} `NOT_EXECUTED` where it cannot be loaded */
  async load(): Promise<void> {
    // The promise is not kept: in a Worker that of one request is of no use to another, and what fails is tried again.
    try {
      this.#part ??= await this.#import();
    } catch (cause) {
      const message = `a part of the library (${this.name}) could not be loaded: ${cause}`;
      throw new RpcError('NOT_EXECUTED', message, { cause });
    }
  }
}
