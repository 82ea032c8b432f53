// What the page and the Worker both speak of.

/** Who calls. */
export interface User {
  readonly name: string;
}

export const COLUMNS = ['todo', 'doing', 'done'] as const;
export type ColumnName = (typeof COLUMNS)[number];

export interface Card {
  /** Made by the page, which shows the card before the board knows of it. */
  readonly id: string;
  readonly title: string;
  readonly column: ColumnName;
  /** Who has added it. */
  readonly author: string;
  /** A number that says where it is among the others. */
  readonly place: number;
  /** The name of its picture, where it has one: another one for each. */
  readonly picture?: string;
}

/** Returns the card that somebody adds to others: the page expects what the board then makes. */
export function newCard(id: string, title: string, column: ColumnName, author: string, others: Iterable<Card>): Card {
  return { id, title, column, author, place: 1 + Math.max(0, ...Array.from(others, ({ place }) => place)) };
}
