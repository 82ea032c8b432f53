import type { Facts } from './facts.ts';

/** Something that is known to go wrong, and why nobody mends it for now. What it explains does not fail a program. */
export interface KnownDefect {
  readonly why: string;
  explains(wrong: string, facts: Facts): boolean;
}

/** The list is empty, and is to stay so. */
export const KNOWN: readonly KnownDefect[] = [];
