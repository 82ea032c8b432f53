type Target = Pick<EventTarget, 'addEventListener' | 'removeEventListener'>;

/** When a page has reason to look at its connection: the network is back, or gone, or somebody looks at the page. */
const WINDOW_EVENTS = ['online', 'offline', 'focus', 'pageshow'];

/**
 * Calls a listener when it is worth a try to see whether a connection still lives, and unless `isOffline`, to connect; returns how to
 * stop. Does nothing outside of pages.
 */
export function whenWorthATry(look: (isOffline: boolean) => void): () => void {
  const page = globalThis as unknown as Target & { document?: Target & { visibilityState: string } };
  const { document } = page;
  if (document === undefined) return () => {};
  const listener = ({ type }: { type: string }) => look(type === 'offline');
  const visible = () => document.visibilityState === 'visible' && look(false);
  for (const event of WINDOW_EVENTS) page.addEventListener(event, listener);
  document.addEventListener('visibilitychange', visible);
  return () => {
    for (const event of WINDOW_EVENTS) page.removeEventListener(event, listener);
    document.removeEventListener('visibilitychange', visible);
  };
}
