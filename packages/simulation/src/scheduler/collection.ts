import { garbageCollector } from '@lumenize/hosts/garbage-collector';
import { currentRealm, type Realm } from './realm.ts';

/** Everything that weak references and registries of a world hold. It makes the machine's own collections invisible. */
const references = new Set<SimulatedWeakRef<WeakKey>>();
const cells = new Set<Cell>();

interface Cell {
  readonly weak: WeakRef<WeakKey>;
  strong: WeakKey | undefined;
  readonly token: WeakRef<WeakKey> | undefined;
  readonly realm: Realm | undefined;
  readonly registry: SimulatedFinalizationRegistry<never>;
  run(): void;
}

/** A `WeakRef` whose target lives until the world collects garbage. */
export class SimulatedWeakRef<Target extends WeakKey> {
  readonly #weak: WeakRef<Target>;
  #strong: Target | undefined;

  constructor(target: Target) {
    this.#weak = new WeakRef(target);
    this.#strong = target;
    references.add(this as never);
  }

  deref(): Target | undefined {
    return this.#strong;
  }

  /** Releases the target for a collection, and holds it again if it has survived. */
  hold(isHeld: boolean): void {
    this.#strong = isHeld ? this.#weak.deref() : undefined;
  }
}

/** A `FinalizationRegistry` whose callbacks are tasks of the world, some time after a collection. */
export class SimulatedFinalizationRegistry<Held> {
  readonly #callback: (held: Held) => void;

  constructor(callback: (held: Held) => void) {
    this.#callback = callback;
  }

  register(target: WeakKey, held: Held, token?: WeakKey): void {
    const realm = currentRealm();
    cells.add({
      weak: new WeakRef(target),
      strong: target,
      token: token && new WeakRef(token),
      realm,
      registry: this as never,
      run: () => this.#callback(held),
    });
  }

  unregister(token: WeakKey): boolean {
    let isFound = false;
    for (const cell of cells) {
      if (cell.registry !== (this as never) || cell.token?.deref() !== token) continue;
      cells.delete(cell);
      isFound = true;
    }
    return isFound;
  }
}

let collectGarbage: (() => void) | undefined;

/**
 * Collects garbage, and returns how many objects were reported to registries. Must be called when no code of the world
 * is running.
 */
export function collect(): number {
  collectGarbage ??= garbageCollector();
  for (const reference of references) reference.hold(false);
  for (const cell of cells) cell.strong = undefined;
  collectGarbage();
  for (const reference of references) reference.hold(true);
  const gone: Cell[] = [];
  for (const cell of cells) {
    cell.strong = cell.weak.deref();
    if (cell.strong === undefined) gone.push(cell);
  }
  for (const cell of gone) {
    cells.delete(cell);
    const { realm } = cell;
    realm?.after(realm.scheduler.random.between(`collect ${realm.name}`, 0, 50), 'collected', () => {
      realm.note('collected');
      cell.run();
    });
  }
  return gone.length;
}

/** Forgets the state of earlier worlds. */
export function resetCollections(): void {
  references.clear();
  cells.clear();
}
