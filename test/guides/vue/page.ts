import { createApp } from 'vue';
import Room from './Room.vue';

createApp(Room, { name: 'lobby' }).mount('#root');
