import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { COMPONENTS } from './components.tsx';

export const render = async (props: { url: string }) => renderToString(createElement(COMPONENTS.Rooms, props));
