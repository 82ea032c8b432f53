import { createSSRApp } from 'vue';
import { renderToString } from 'vue/server-renderer';
import Rooms from './Rooms.vue';

export const render = (props: { url: string }) => renderToString(createSSRApp(Rooms, props));
