import { connect, type Stub, type TargetMark } from '@lumenize/rpc';

interface Message {
  from: string;
  text: string;
  attachments: ReadonlyMap<string, Uint8Array>;
}

interface Member extends TargetMark {
  readonly name: string;
  leave(): void;
}

interface Screen extends TargetMark {
  show(message: Message, from: Member): Promise<boolean>;
}

interface Chat {
  join(name: string, screen: Screen): Promise<Member>;
  subscribe(listener: (message: Message, from: Member) => void): { id: number; cancel(): void };
  ask<Answer>(question: Message): Answer | undefined;
  say(message: Message): void;
  say(text: string, ...to: Member[]): void;
  upload(chunks: ReadableStream<Uint8Array>, progress?: (bytes: number) => void): Promise<number>;
}

/** Targets and functions that travel both ways, overloads, a generic method. */
export async function useCallbacks(screen: Screen): Promise<string | undefined> {
  using chat = connect<Chat>('ws://localhost/rpc/chat/main');
  using member: Stub<Member> = await chat.join('Ada', screen);
  const subscription = await chat.subscribe(async (message, from) => {
    await chat.say(`${message.text}, ${await from.name}`, from, member);
  });
  await chat.say({ from: member.name, text: 'x', attachments: new Map([['a', new Uint8Array(1)]]) });
  await chat.upload(new ReadableStream<Uint8Array>(), (bytes) => bytes + 1);
  await subscription.cancel();
  return chat.ask<Message>({ from: 'x', text: '', attachments: new Map() }).text;
}
