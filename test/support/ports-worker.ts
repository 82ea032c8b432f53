import { RpcTarget, servePort } from '@lumenize/rpc/port';

// The script of a Worker and of a frame alike: serves the page that made it.

export class Greeter extends RpcTarget {
  greet(name: string): string {
    return `Hello, ${name}`;
  }

  size(bytes: Uint8Array): number {
    return bytes.length;
  }

  async ask(callback: (question: string) => string): Promise<string> {
    return callback('really');
  }

  never(): Promise<void> {
    return new Promise(() => {});
  }
}

if (typeof document === 'undefined') servePort(self, new Greeter());
else {
  const page = new URL(location.href).searchParams.get('page')!;
  servePort(window.parent, new Greeter(), { targetOrigin: page });
  addEventListener('message', ({ data, ports }) => {
    if (data === 'a port') servePort(ports[0], new Greeter());
  });
}
