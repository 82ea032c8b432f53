import { mount } from 'svelte';
import Room from './Room.svelte';

mount(Room, { target: document.querySelector('#root')! });
