// A target that a page imports as a type, and so compiles with what is declared in the page. For that it needs `skipLibCheck`:
// nothing there declares the Workers runtime.
import { connect, type Stub, type Subscription } from '@lumenize/rpc';
import { type ApiOf, type Caller, callContext, type Methods, RpcTarget, type Topic } from '@lumenize/rpc/server';

interface User {
  name: string;
}

class Room extends RpcTarget {
  static readonly rpc = {
    rename: { exactlyOnce: true, guard: ({ identity }, title) => identity.name === title },
    title: { readOnly: true },
  } satisfies Methods<Room, User>;
  readonly #topic: Topic<string>;
  constructor(topic: Topic<string>) {
    super();
    this.#topic = topic;
  }
  rename(title: string): number {
    return title.length;
  }
  title(): string {
    return '';
  }
  who(): string {
    const { caller } = callContext();
    return String((caller as Caller<User>).identity.name);
  }
  renamed(): Subscription<string> {
    return this.#topic.subscribe();
  }
}

type IsAny<T> = 0 extends 1 & T ? true : false;

function none<T>(..._isAny: IsAny<T> extends true ? [never] : []): void {}

export async function use(): Promise<void> {
  const room: Stub<ApiOf<typeof Room>> = connect<ApiOf<typeof Room>>('/rpc/room/main');
  none<typeof room>();
  none<typeof room.rename>();
  none<ApiOf<typeof Room>>();
  const length: number = await room.rename('x');
  for await (const { event } of await room.renamed()) none<typeof event>();

  // @ts-expect-error there is no such method
  room.nothing();
  // @ts-expect-error a title is a text
  room.rename(5);
  // @ts-expect-error it returns a number
  const text: string = await room.rename('x');
  // @ts-expect-error there is no such method
  ({ nothing: { readOnly: true } }) satisfies Methods<Room>;
  // @ts-expect-error there is no such option
  ({ title: { readonly: true } }) satisfies Methods<Room>;
  // @ts-expect-error users have no such property
  ({ title: { guard: ({ identity }) => identity.age > 1 } }) satisfies Methods<Room, User>;
  // @ts-expect-error a target is no topic
  new Room(new RpcTarget());
  // @ts-expect-error a context has no such member
  callContext().nothing;
  void [length, text];
}
