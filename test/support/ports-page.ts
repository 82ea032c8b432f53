import { connection } from '@lumenize/rpc';
import { connectPort } from '@lumenize/rpc/port';
import type { Greeter } from './ports-worker.ts';

// The script of a page: calls what a Worker, a frame, and a port to the frame serve.

/** What the page's tests ask it for; each returns what the target said. */
export interface PortsPage {
  worker(script: string): Promise<unknown>;
  frame(url: string, targetOrigin: string): Promise<unknown>;
  portToFrame(url: string, targetOrigin: string): Promise<unknown>;
  /** Loads the frame anew while a call runs. */
  reload(url: string, targetOrigin: string): Promise<unknown>;
}

const page: PortsPage = {
  async worker(script) {
    const worker = new Worker(script);
    using stub = connectPort<Greeter>(worker);
    const bytes = new Uint8Array(1_000_000);
    return [await stub.greet('worker'), await stub.size(bytes), await stub.ask((question) => `${question}!`)];
  },
  async frame(url, targetOrigin) {
    using stub = connectPort<Greeter>(addFrame(url).contentWindow!, { targetOrigin, openTimeoutMs: 2000 });
    return await stub.greet('frame').catch(({ code }) => code);
  },
  async portToFrame(url, targetOrigin) {
    const frame = addFrame(url);
    using stub = connectPort<Greeter>(frame.contentWindow!, { targetOrigin });
    await stub.greet('frame');
    const { port1, port2 } = new MessageChannel();
    frame.contentWindow!.postMessage('a port', targetOrigin, [port2]);
    using through = connectPort<Greeter>(port1);
    return await through.greet('port');
  },
  async reload(url, targetOrigin) {
    const frame = addFrame(url);
    using stub = connectPort<Greeter>(frame.contentWindow!, { targetOrigin });
    await stub.greet('frame');
    const never = stub.never().catch(({ code }) => code);
    await stub.greet('frame');
    frame.src = `${url}&again`;
    return [await never, connection(stub).state, await stub.greet('frame again')];
  },
};

function addFrame(url: string): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.src = url;
  document.body.append(frame);
  return frame;
}

(globalThis as { ports?: PortsPage }).ports = page;
