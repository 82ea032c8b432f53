import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Page } from './room.tsx';

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <Page />
  </StrictMode>,
);
