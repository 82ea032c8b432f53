import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { readHash } from './address.ts';
import { SECTIONS, type Section } from './sections.ts';

/** Where the address leads: `#chat/garden` is the section `chat`, and there `garden`. */
export interface Route {
  readonly section: Section;
  /** Undefined where the address says none. */
  readonly name: string | undefined;
}

const hash = signal(location.hash);
window.addEventListener('hashchange', () => {
  hash.value = location.hash;
});

/** The first section where the address says none that there is. */
export const route: ReadonlySignal<Route> = computed(() => {
  const { section, name } = readHash(hash.value);
  return { section: SECTIONS.find(({ id }) => id === section) ?? SECTIONS[0], name };
});
