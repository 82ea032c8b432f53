import {
  type ApiOf,
  type Caller,
  type Methods,
  type Position,
  RpcError,
  RpcObject,
  type RpcServerOptions,
  RpcTarget,
} from '@lumenize/rpc/server';
import { collection, type Fields, type Follow, State } from '@lumenize/state/server';

export interface Card {
  readonly id: string;
  readonly title: string;
  readonly column?: string;
  readonly secret?: string;
  readonly isHidden?: boolean;
  readonly tags?: readonly string[];
  readonly count?: number;
  readonly at?: Date;
  readonly bytes?: Uint8Array;
}

export interface Note {
  readonly id: string;
  readonly text: string;
}

export type Records = { cards: Card; notes: Note };

/** A change that a test makes. */
export type Step =
  | { readonly put: Card; readonly in?: 'cards' }
  | { readonly note: Note }
  | { readonly patch: string; readonly fields: Fields<Card> }
  | { readonly delete: string }
  | { readonly add: string; readonly by: number }
  | { readonly push: string; readonly tag: string };

export class StateObject extends RpcObject<unknown, string> {
  readonly state = new State<Records>(
    this,
    {
      cards: collection<Card>({
        format: 2,
        migrate: ({ name, ...card }: { id: string; name: string }) => ({ ...card, title: name }),
      }),
      notes: collection<Note>(),
    },
    {
      views: {
        guest: {
          cards: ({ secret, ...card }) => (card.isHidden ? undefined : card),
        },
      },
    },
  );
  view = '';

  override rpcOptions(): RpcServerOptions {
    // Steps on records that are not there fail in tests all the time.
    return {
      onError: (error, method) =>
        error instanceof RangeError || error instanceof RpcError || console.error(method, error),
    };
  }

  override target({ identity }: Caller<string>): StateApi {
    return new StateApi(this, identity === 'guest' ? 'guest' : this.view);
  }

  /** Makes changes, as methods of an application do. */
  take(steps: readonly Step[]): void {
    const { cards, notes } = this.state.collections;
    for (const step of steps) {
      if ('put' in step) cards.put(step.put);
      else if ('note' in step) notes.put(step.note);
      else if ('patch' in step) cards.patch(step.patch, step.fields);
      else if ('delete' in step) cards.delete(step.delete);
      else if ('add' in step) cards.patch(step.add, { count: (cards.get(step.add)?.count ?? 0) + step.by });
      else cards.patch(step.push, { tags: [...(cards.get(step.push)?.tags ?? []), step.tag] });
    }
  }

  get all(): { cards: Card[]; notes: Note[] } {
    return { cards: [...this.state.collections.cards], notes: [...this.state.collections.notes] };
  }

  get storage(): DurableObjectStorage {
    return this.ctx.storage;
  }
}

export class StateApi extends RpcTarget {
  static readonly rpc = {
    follow: { idempotent: true },
    followLater: { idempotent: true },
    all: { readOnly: true },
    take: { exactlyOnce: true },
    takeAgain: { idempotent: true },
    fail: { exactlyOnce: true },
  } satisfies Methods<StateApi>;
  readonly #object: StateObject;
  readonly #view: string;

  constructor(object: StateObject, view: string) {
    super();
    this.#object = object;
    this.#view = view;
  }

  follow(since?: Position): Follow<Records> {
    return this.#object.state.follow(since, this.#view);
  }

  /** Decides for some time. */
  async followLater(since?: Position): Promise<Follow<Records>> {
    await new Promise((resolve) => setTimeout(resolve, 5));
    return this.follow(since);
  }

  all(): { cards: Card[]; notes: Note[] } {
    return this.#object.all;
  }

  take(...steps: Step[]): void {
    this.#object.take(steps);
  }

  /** Is sent again after a loss, and runs again. */
  takeAgain(...steps: Step[]): void {
    this.#object.take(steps);
  }

  /** Is not sent again after a loss. */
  takeOnce(...steps: Step[]): void {
    this.#object.take(steps);
  }

  /** Changes something before it waits, and something else after that. */
  async takeSlowly(before: Step[], after: Step[], fails = false): Promise<void> {
    this.#object.take(before);
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (fails) throw new RangeError('too slow');
    this.#object.take(after);
  }

  /** Fails when it has changed something. */
  fail(...steps: Step[]): void {
    this.#object.take(steps);
    throw new RpcError('DENIED', 'no');
  }
}

export type StateApiOf = ApiOf<typeof StateApi>;
