import { createApp, createSSRApp } from 'vue';
import { startPage } from '../page.ts';
import Doubled from './Doubled.vue';
import Rooms from './Rooms.vue';
import Slow from './Slow.vue';

const COMPONENTS = { Rooms, Doubled, Slow };

startPage((name, props, root, isHydrated) => {
  const app = (isHydrated ? createSSRApp : createApp)(COMPONENTS[name], props as Record<string, unknown>);
  app.mount(root);
  return () => app.unmount();
});
