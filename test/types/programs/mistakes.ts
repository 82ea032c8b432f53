import { connect, type Received, type RemotePromise, RpcTarget, type Stub, type TargetMark } from '@lumenize/rpc';

interface Room extends TargetMark {
  readonly title: string;
}

class Screen extends RpcTarget {
  show(text: string): boolean {
    return text !== '';
  }
}

interface Api {
  room(): Room;
  rooms(): Room[];
  feed(): ReadableStream<string>;
  link(): URL;
  add(by: number): number;
  attach(screen: Screen): void;
  watch(listener: (count: number) => void): void;
}

/** Fails to compile where something has become `any` or `never`. */
export async function findMistakes(): Promise<void> {
  using api = connect<Api>('ws://localhost/rpc/api/main');
  // @ts-expect-error a text is no number
  api.add('1');
  // @ts-expect-error a room is no number
  api.add(api.room());
  // @ts-expect-error there is no such method
  api.subtract(1);
  // @ts-expect-error there is no such member
  (await api.room()).name;
  // @ts-expect-error a count is no text
  api.watch((count: string) => count);
  api.attach(new Screen());
  // @ts-expect-error a screen has no such member
  new Screen().hide();
  // @ts-expect-error what does not extend RpcTarget is no target
  api.attach({ show: () => true });
  // @ts-expect-error a stream has no such method
  (await api.feed()).read();
  // @ts-expect-error a URL is not read before it has arrived
  api.link().href;
  // @ts-expect-error a promise of a room is no room
  const [room]: Stub<Room>[] = api.rooms();
  // @ts-expect-error a stub is no number
  const arrived: Received<Room> = 5;
  // @ts-expect-error nor is a promise of one
  const result: RemotePromise<number> = 5;
  void [room, arrived, result];
}
