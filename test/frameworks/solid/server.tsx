/** @jsxImportSource solid-js */
import { createComponent } from 'solid-js';
import { renderToString } from 'solid-js/web';
import { COMPONENTS } from './components.tsx';

export const render = async (props: { url: string }) => renderToString(() => createComponent(COMPONENTS.Rooms, props));
