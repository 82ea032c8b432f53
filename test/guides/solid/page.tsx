/** @jsxImportSource solid-js */
import { render } from 'solid-js/web';
import { Room } from './room.tsx';

render(() => <Room name="lobby" />, document.querySelector('#root')!);
