/** Memory of a connection that outlives its session: a hibernating socket carries it. */
export interface ConnectionMemory {
  /** Begins a life of the session, and returns its number: ids that it gives are told from those of lives before. */
  beginLife(): number;
  /** Keeps how to derive again what was sent under an id; false where there is no room for it. */
  remember(id: number, recipe: string): boolean;
  recall(id: number): string | undefined;
  forget(id: number): void;
}

/** Ids of one life of a session: more than it will give. */
const IDS_OF_A_LIFE = 16_777_216;

/** The first id of a life. */
export function firstIdOf(life: number): number {
  return life * IDS_OF_A_LIFE;
}
