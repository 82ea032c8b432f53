/** @jsxImportSource solid-js */
import { type Component, createComponent } from 'solid-js';
import { hydrate, render } from 'solid-js/web';
import { startPage } from '../page.ts';
import { COMPONENTS } from './components.tsx';

// What generateHydrationScript() puts into a page that a server sends.
Object.assign(globalThis, { _$HY: { events: [], completed: new WeakSet(), r: {}, fe() {} } });

startPage((name, props, root, isHydrated) =>
  (isHydrated ? hydrate : render)(() => createComponent(COMPONENTS[name] as Component, props), root),
);
