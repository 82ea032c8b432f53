/** The sockets that the page has opened. */
const sockets: WebSocket[] = [];
/** The number of messages that the first room has shown when each frame of answers arrived. */
const shownAtAnswers: number[] = [];
globalThis.WebSocket = class extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols);
    sockets.push(this);
    // Before the library hears of it: what the page shows by then was shown before the answer.
    this.addEventListener('message', ({ data }) => {
      if (/^\[-/.test(String(data))) shownAtAnswers.push(document.querySelectorAll('#one li').length);
    });
  }
};

/** Shows a component in an element, or takes over what a server has rendered there; returns what removes it. */
export type Show = (name: ComponentName, props: object, root: Element, isHydrated: boolean) => () => void;

/** The components that each framework has. */
export type ComponentName = 'Rooms' | 'Doubled' | 'Slow';

/** Has a test show components in the page. */
export function startPage(show: Show): void {
  let remove = () => {};
  const render = (name: ComponentName, props: object, isHydrated = false) => {
    remove = show(name, props, document.querySelector('#root')!, isHydrated);
  };
  Object.assign(globalThis, {
    app: {
      render,
      hydrate: (name: ComponentName, props: object) => render(name, props, true),
      /** Renders a component that tells something, and returns that. */
      told: (name: ComponentName, props: object) => new Promise((tell) => render(name, { ...props, tell })),
      unmount: () => remove(),
      shownAtAnswers,
      opened: () => sockets.length,
      open: () => sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length,
      frames: 0,
    },
  });
}
