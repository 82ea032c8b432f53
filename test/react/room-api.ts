import type { SubscribeOptions, Subscription } from '@lumenize/rpc';

/** What pages know of the room's API. */
export interface RoomApi {
  title(): string;
  rename(title: string): void;
  ownTitle(): string;
  twice(number: number): number;
  say(text: string): number;
  sayLater(text: string, ms: number): number;
  read(options?: SubscribeOptions): Subscription<string>;
  connections(): number;
}
