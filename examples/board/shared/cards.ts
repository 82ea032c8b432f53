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
  /** The name of its picture, where it has one: another one for each. */
  readonly picture?: string;
}

/** What has become of a card: the whole card, or that it is gone. */
export type Change = { readonly card: Card } | { readonly removed: string };
