/** The memory of a connection that outlives its session. A hibernating socket carries it. */
export interface ConnectionMemory {
  /**
   * Begins a life of the session, which lasts until the object leaves memory. Returns the number of the life, which
   * keeps its ids apart from those of earlier lives.
   */
  beginLife(): number;
  /** Stores the recipe that derives the value with this id again. Returns false if there is no room for it. */
  remember(id: number, recipe: string): boolean;
  recall(id: number): string | undefined;
  forget(id: number): void;
}

/** The number of ids of one life of a session, more than it will use. */
const IDS_OF_A_LIFE = 16_777_216;

/** Returns the first id of a life. */
export function firstIdOf(life: number): number {
  return life * IDS_OF_A_LIFE;
}
