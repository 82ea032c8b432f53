import { createElement, type FunctionComponent, StrictMode } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { startPage } from '../page.ts';
import { COMPONENTS } from './components.tsx';

startPage((name, props, element, isHydrated) => {
  const shown = <StrictMode>{createElement(COMPONENTS[name] as FunctionComponent, props)}</StrictMode>;
  const root = isHydrated
    ? hydrateRoot(element, shown, { onRecoverableError: (error) => console.error(error) })
    : createRoot(element);
  if (!isHydrated) root.render(shown);
  return () => root.unmount();
});
