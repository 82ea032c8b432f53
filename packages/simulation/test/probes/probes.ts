/** A socket of a client, as far as probes use it. */
export interface ProbeSocket {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: string, listener: (event: never) => void): void;
}

/** Where probes run: on workerd, or in a simulated world. */
export interface ProbeWorld {
  /** Opens a socket to an object of the probe's own. */
  open(path: string): ProbeSocket;
  /** Ends a socket without a word. */
  terminate(socket: ProbeSocket): void;
  /** Has a client read nothing more of what arrives. */
  stall(socket: ProbeSocket): void;
  get(path: string): Promise<unknown>;
  sleep(ms: number): Promise<void>;
  /** Makes a request, and goes away before it is answered. */
  leave(path: string): Promise<void>;
  /** Has all objects leave memory. */
  evict(): Promise<void>;
}

/** What a response says. */
export async function bodyOf(response: Response): Promise<unknown> {
  return response.ok ? response.json() : [response.status, await response.text()];
}

type Told = unknown[];

interface Connected {
  readonly socket: ProbeSocket;
  /** What the client was told, until its own close: what comes after that, browsers drop. */
  readonly told: Told;
  /** Resolves with how it ended; also when it does not for a long time. */
  readonly ended: Promise<unknown>;
}

/** Opens a socket, and notes what it is told. */
async function connected(world: ProbeWorld, path = 'socket'): Promise<Connected> {
  const socket = world.open(path);
  const told: Told = [];
  socket.addEventListener('message', ({ data }: { data: string }) => void (socket.readyState === 1 && told.push(data)));
  const closed = new Promise((resolve) => {
    socket.addEventListener(
      'close',
      ({ code, reason, wasClean }: { code: number; reason: string; wasClean: boolean }) => {
        told.push([code, reason, wasClean]);
        resolve(undefined);
      },
    );
  });
  const ended = Promise.race([closed, world.sleep(LONG)]);
  await new Promise<void>((resolve) => {
    for (const event of ['open', 'close']) socket.addEventListener(event, () => resolve());
  });
  return { socket, told, ended };
}

/** Long enough for all that a probe has begun. */
const A_WHILE = 600;
/** Longer than what should come takes on a busy machine. */
const LONG = 4000;

async function after(world: ProbeWorld, told: Told): Promise<unknown> {
  await world.sleep(A_WHILE);
  return { told: [...told], log: await world.get('log') };
}

/** Sends messages over a socket, and says what came of it. */
const messages =
  (path: string, ...texts: string[]) =>
  async (world: ProbeWorld) => {
    const { socket, told, ended } = await connected(world, path);
    for (const text of texts) socket.send(text);
    if (texts.some((text) => text.startsWith('close'))) await ended;
    return after(world, told);
  };

const requests =
  (...paths: string[]) =>
  async (world: ProbeWorld) => {
    const outcomes: unknown[] = [];
    for (const path of paths) outcomes.push(await world.get(path));
    return outcomes;
  };

/** What is asked of the platform, by what it is about. */
export const PROBES: Readonly<Record<string, (world: ProbeWorld) => Promise<unknown>>> = {
  'a client closes': async (world) => {
    const { socket, told, ended } = await connected(world);
    socket.close(3001, 'bye');
    await ended;
    return after(world, told);
  },
  'a client closes without a code': async (world) => {
    const { socket, told, ended } = await connected(world);
    socket.close();
    await ended;
    return after(world, told);
  },
  'a client closes, and the object does not answer': async (world) => {
    await world.get('do-not-close');
    const { socket, told } = await connected(world);
    socket.close(3001, 'bye');
    return [await after(world, told), await world.get('count')];
  },
  'a client closes, and the object answers later': async (world) => {
    await world.get('close-later');
    const { socket, told, ended } = await connected(world);
    socket.close(3001, 'bye');
    await ended;
    return [await after(world, told), await world.get('count')];
  },
  'a client closes an accepted socket': async (world) => {
    const { socket, told } = await connected(world, 'accepted');
    socket.close(3001, 'bye');
    return after(world, told);
  },
  'a client is gone': async (world) => {
    const { socket } = await connected(world);
    world.terminate(socket);
    return after(world, []);
  },
  'a client with an accepted socket is gone': async (world) => {
    const { socket } = await connected(world, 'accepted');
    world.terminate(socket);
    return after(world, []);
  },
  'the object closes': messages('socket', 'close 1000', 'echo late'),
  'the object closes with a code of its own': messages('socket', 'close 4403'),
  'the object closes an accepted socket': messages('accepted', 'close 4403', 'echo late'),
  'the object closes, and its client is gone before it has answered': async (world) => {
    const { socket } = await connected(world);
    world.stall(socket);
    await world.get('close-all');
    world.terminate(socket);
    return [await after(world, []), await world.get('count')];
  },
  'the object refuses': async (world) => {
    const { told } = await connected(world, 'refused');
    return after(world, told);
  },
  'both sides close': async (world) => {
    const { socket, told } = await connected(world);
    socket.send('close 4001');
    socket.close(3002, 'me too');
    return after(world, told);
  },
  'a handler throws': messages('socket', 'throw', 'echo still here'),
  'a handler of an accepted socket throws': messages('accepted', 'throw', 'echo still here'),
  'the object aborts': async (world) => {
    const { socket, told } = await connected(world);
    const other = await connected(world);
    socket.send('abort');
    await world.sleep(A_WHILE);
    const again = await connected(world);
    again.socket.send('echo again');
    return [await after(world, again.told), [...told], [...other.told]];
  },
  'the object aborts with an accepted socket': async (world) => {
    const { socket, told } = await connected(world, 'accepted');
    socket.send('abort');
    return after(world, told);
  },
  'messages interleave at awaits': messages('socket', 'slow 1', 'slow 2', 'echo between', 'increment', 'increment'),
  'messages wait for a critical section': messages('socket', 'block', 'echo later', 'slow 3'),
  'timers are events': messages('socket', 'timers'),
  'what is sent follows what is written': messages('socket', 'write-then-send 1', 'echo x', 'write-then-send 2'),
  'increments of one event': requests('together', 'increment'),
  'increments by timers': requests('timers', 'increment'),
  'increments by requests': async (world) => Promise.all([1, 2, 3].map(() => world.get('increment'))),
  'a client that makes a request and leaves': async (world) => {
    await world.leave('leave');
    await world.sleep(LONG);
    return world.get('log');
  },
  'a critical section that fails': requests('quick', 'block-fails', 'log'),
  'a request that fails': requests('quick', 'fails', 'log'),
  'order of storage and timers': requests('order'),
  attachments: async (world) => {
    await connected(world);
    return world.get('attachment');
  },
  tags: async (world) => {
    await connected(world, 'socket?tag=a');
    await connected(world, 'socket?tag=a&tag=b&tag=a');
    const { socket } = await connected(world, 'socket?tag=a&tag=c');
    await connected(world, 'socket?tag=a&tag=d');
    const before = await world.get('tags');
    socket.close();
    await world.sleep(A_WHILE);
    return [before, await world.get('tags')];
  },
  limits: async (world) => {
    await connected(world);
    return world.get('limits');
  },
  'auto-responses': async (world) => {
    const { socket, told } = await connected(world);
    const before = await world.get('auto');
    socket.send('ping');
    socket.send('pin');
    socket.send('ping');
    return [before, await after(world, told), await world.get('answered')];
  },
  sql: requests('sql'),
  'transactions that are rolled back': requests('rollback'),
  'asynchronous transactions': requests('transaction'),
  'all is deleted': requests('delete-all', 'delete-all'),
  'an alarm': async (world) => {
    const set = await world.get('alarm?ms=50');
    await world.sleep(A_WHILE);
    return [set, await world.get('log')];
  },
  'a critical section of a request': async (world) => {
    const [, quick] = await Promise.all([world.get('block'), world.sleep(150).then(() => world.get('quick'))]);
    return [quick, await world.get('log')];
  },
};

/** Probes of objects that leave memory, which is done to all objects at once: one after the other. */
export const EVICTING_PROBES: typeof PROBES = {
  'what stays of sockets when the object leaves memory': async (world) => {
    const { socket, told } = await connected(world, 'socket?tag=a');
    await connected(world, 'socket?tag=a&tag=b');
    await world.get('attachment');
    await world.get('auto');
    await world.evict();
    const before = [await world.get('log'), await world.get('tags'), await world.get('auto-is')];
    await world.evict();
    socket.send('echo awake');
    socket.send('ping');
    return [before, await after(world, told), await world.get('attachments'), await world.get('answered')];
  },
  'a client closes while the object is not in memory': async (world) => {
    const { socket, told, ended } = await connected(world);
    await world.evict();
    socket.close(3001, 'bye');
    await ended;
    return [await after(world, told), await world.get('count')];
  },
  'a client is gone while the object is not in memory': async (world) => {
    const { socket } = await connected(world);
    await world.evict();
    world.terminate(socket);
    return [await after(world, []), await world.get('count')];
  },
  'the object has closed, and the client answers when it is not in memory': async (world) => {
    const { told, ended } = await connected(world);
    await world.get('close-all');
    await ended;
    await world.sleep(A_WHILE);
    await world.evict();
    return [told, await world.get('log'), await world.get('count')];
  },
  'a socket that the object has not been told of closing': async (world) => {
    await world.get('do-not-close');
    const { socket } = await connected(world);
    socket.close(3001);
    await world.sleep(A_WHILE);
    await world.evict();
    return [await world.get('log'), await world.get('count')];
  },
  'what is left of auto-responses when the object aborts': async (world) => {
    const { socket } = await connected(world);
    await world.get('auto');
    socket.send('abort');
    await world.sleep(A_WHILE);
    return [await world.get('auto-is'), await world.get('count')];
  },
  'timers hold the object in memory': async (world) => {
    const waiting = world.get('wait?ms=300');
    await world.sleep(A_WHILE / 4);
    await world.evict();
    return [await waiting, await world.get('log')];
  },
};
