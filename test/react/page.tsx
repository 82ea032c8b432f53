import { createElement, type FunctionComponent, StrictMode } from 'react';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import { COMPONENTS } from './components.tsx';

// The script of a page whose components talk to a room.

/** The sockets that the page has opened. */
const sockets: WebSocket[] = [];
globalThis.WebSocket = class extends WebSocket {
  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols);
    sockets.push(this);
  }
};

const problems: string[] = [];
const options = { onRecoverableError: (error: unknown) => problems.push(`recovered from ${error}`) };
let root: Root | undefined;

function element(name: keyof typeof COMPONENTS, props: object) {
  return <StrictMode>{createElement(COMPONENTS[name] as unknown as FunctionComponent, props)}</StrictMode>;
}

function render(name: keyof typeof COMPONENTS, props: object): void {
  root ??= createRoot(document.querySelector('#root')!, options);
  root.render(element(name, props));
}

Object.assign(globalThis, {
  app: {
    problems,
    render,
    hydrate(name: keyof typeof COMPONENTS, props: object) {
      root = hydrateRoot(document.querySelector('#root')!, element(name, props), options);
    },
    /** Renders a component that tells something, and returns that. */
    told: (name: keyof typeof COMPONENTS, props: object) => new Promise((tell) => render(name, { ...props, tell })),
    unmount() {
      root?.unmount();
      root = undefined;
    },
    opened: () => sockets.length,
    open: () => sockets.filter(({ readyState }) => readyState === WebSocket.OPEN).length,
  },
});
