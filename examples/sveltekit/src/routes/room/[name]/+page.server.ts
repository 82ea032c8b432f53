import { connectBinding } from '@lumenize/rpc/binding';
import type { RoomApi } from '../../../room.ts';
import type { PageServerLoad } from './$types';

/** The title for the page that a server sends, from the object itself. */
export const load: PageServerLoad = async ({ params: { name }, platform }) => {
  using room = connectBinding<RoomApi>(platform!.env.ROOM.getByName(name));
  return { name, title: await room.title() };
};
