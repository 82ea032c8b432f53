import { garbageCollector } from '@lumenize/hosts/garbage-collector';
import { currentRealm, type Realm } from './realm.ts';

/** Everything that a world's weak references and registries hold, so that the machine's own collections change nothing. */
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

/** A `WeakRef` whose target lives until the world collects what nobody can reach. */
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

  /** For collecting: lets go of the target, and takes hold of it again where it has survived. */
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

/** Collects what nobody can reach, and returns how many were told of. To be called where no code of the world is running. */
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

/** Forgets what worlds before have left. */
export function resetCollections(): void {
  references.clear();
  cells.clear();
}
