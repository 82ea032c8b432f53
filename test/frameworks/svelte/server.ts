import { render as renderComponent } from 'svelte/server';
import Rooms from './Rooms.svelte';

export const render = async (props: { url: string }) => renderComponent(Rooms, { props }).body;
