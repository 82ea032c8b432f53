import { hydrate, mount, unmount } from 'svelte';
import { startPage } from '../page.ts';
import Doubled from './Doubled.svelte';
import Rooms from './Rooms.svelte';
import Slow from './Slow.svelte';

const COMPONENTS = { Rooms, Doubled, Slow };

startPage((name, props, target, isHydrated) => {
  const shown = (isHydrated ? hydrate : mount)(COMPONENTS[name], { target, props: { ...props } });
  return () => void unmount(shown);
});
