import type { Card, Change } from '../shared/cards.ts';

/** Applies a change. Applied twice, as by a page that expects it and then is told, it changes nothing. */
export function changed(cards: readonly Card[], change: Change | { readonly all: readonly Card[] }): readonly Card[] {
  if ('all' in change) return change.all;
  if ('removed' in change) return cards.filter(({ id }) => id !== change.removed);
  const at = cards.findIndex(({ id }) => id === change.card.id);
  return at < 0 ? [...cards, change.card] : cards.with(at, change.card);
}
