import type { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_DROPPED, CLOSE_NORMAL } from '../protocol/errors.ts';
import type { Message } from '../protocol/message.ts';
import { CLIENT_PREFIX, REFUSED_SUBPROTOCOL, SUBPROTOCOL, TOKEN_PREFIX, toBase64Url } from '../protocol/version.ts';
import { Timer } from '../session/timer.ts';
import type { Transport } from '../transport/transport.ts';
import { backoffOf, classifyLoss, type Loss, refuse } from './loss.ts';
import type { ClientOptions, ConnectionState, StateListener } from './options.ts';

/** Receives what happens to a link. */
export interface LinkEvents {
  /** True while calls are in flight, or wait. */
  readonly isWaiting: boolean;
  /** Returns the subprotocols that carry what goes with the request that opens a connection, for the server to read ahead. */
  early(): readonly string[];
  /** Frames can be sent; `isAhead` where the server has taken what was early. */
  opened(isAhead: boolean): void;
  receiveMessage(frame: Message): void;
  answered(frames: readonly Message[]): void;
  /** A connection, or an attempt to make one, is gone. */
  lost(loss: Loss): void;
}

/**
 * A client's way to its server, over one transport after another: connects, notices when a connection is dead, and connects
 * again. Frames are sent while it is open, and only then.
 */
export interface Link {
  state: ConnectionState;
  /** Reason for having no connection, where there is none. */
  reason: RpcError | undefined;
  /** True if it was closed here, and will not open again. */
  isFinal: boolean;
  /** True if there was a sign of life since the last look. */
  isHeard: boolean;
  /** Number of times that a connection was made. */
  opened: number;
  /** True if the transport tells whether a connection lives. Others are not watched: there the next call connects again. */
  readonly canProbe: boolean;
  /** Calls a listener with each change of the state, until the function that is returned is called. */
  onStateChange(listener: StateListener): () => void;
  /** Connects now, unless there is no network, or it was closed; asks an open connection whether it lives. */
  connect(isOffline?: boolean): void;
  /** Asks the other side for a sign of life. */
  probe(): void;
  /** Counts what has gone over all connections. */
  readonly traffic: { framesSent: number; framesReceived: number; bytesSent: number; bytesReceived: number };
  /** Sends a frame, where there is a connection. */
  send(frame: Message): void;
  /** Gives up a connection over which came what makes no sense, or says no: nothing of it is to go on over the next one. */
  refuse(error: RpcError): void;
  /** Gives the connection up, as one that was lost. */
  drop(reason: string): void;
  /** Connects with a token that is asked for from now on: an attempt that is under way has asked before. */
  again(): void;
  /** Stops trying, where nobody waits: the next call begins again. */
  rest(): void;
  /** Ends it for good, with the error that calls are to reject with. */
  close(error: RpcError): void;
}

/** Makes the link of a client. */
export function linkOf(options: ClientOptions, events: LinkEvents): Link {
  const { connectTimeoutMs, description, reconnect, token } = options;
  const listeners = new Set<StateListener>();
  const backoff = backoffOf(reconnect);
  const traffic = { framesSent: 0, framesReceived: 0, bytesSent: 0, bytesReceived: 0 };
  /** Until the next attempt, or until the one under way has taken too long. */
  const timer = new Timer();
  /** Tells the server that connections are of the same client. */
  let name: string | undefined;
  /** Tells it which of them is the newest: upgrades overtake each other where one was held up. */
  let attempts = 0;
  let transport: Transport | undefined;
  let isProbed = false;
  /** True if the last connection, or attempt, ended because the token had expired. */
  let wasExpired = false;

  const setState = (state: ConnectionState, reason?: RpcError) => {
    if (state === link.state && reason === link.reason) return;
    link.reason = reason;
    link.state = state;
    // Later: what the listener does, or throws, must find the session as it will be.
    for (const listener of listeners) queueMicrotask(() => listener(state, reason));
  };

  /** Enters a state in which there is no transport, and lets go of it and of what waits. */
  const leave = (state: ConnectionState, reason: RpcError | undefined, code = CLOSE_DROPPED) => {
    const left = transport;
    transport = undefined;
    isProbed = false;
    timer.stop();
    heartbeat?.stop();
    setState(state, reason);
    left?.close(code, '');
  };

  /** Connects again after a loss, where that is of use; else rests, or is closed. */
  const lose = (loss: Loss, code: number) => {
    const { error, wasOpen } = loss;
    const isResumed = reconnect !== false && link.canProbe;
    // A new token is all that is missing, where there is somebody to ask for one; not where that has just been asked.
    const isExpired = error.code === 'EXPIRED';
    const isRenewed = isExpired && typeof token === 'function' && (wasOpen || !wasExpired);
    wasExpired = isExpired;
    const isRefused = !loss.isTemporary && !isRenewed;
    const isTemporary = !isRefused && isResumed;
    leave(isTemporary ? 'reconnecting' : isRefused && isResumed ? 'closed' : 'idle', error);
    if (isTemporary) {
      heartbeat?.wake();
      timer.set(backoff.next(code, error), attempt);
    }
    events.lost({ ...loss, isTemporary });
  };

  const lost = (code: number, reason: string) =>
    lose(classifyLoss(code, reason, description, link.state === 'open', link.canProbe), code);

  const attempt = () => {
    if (typeof token !== 'function') return start(token);
    // Holds the place meanwhile, so that no other attempt begins.
    const asked: Transport = { send: () => {}, close: () => {}, probe: () => {} };
    transport = asked;
    new Promise<string>((resolve) => resolve(token())).then(
      (given) => transport === asked && start(given),
      (error) => refuse(() => transport === asked && lost(CLOSE_NORMAL, `NOT_EXECUTED: token() failed: ${error}`)),
    );
  };

  const start = (shown: string | undefined) => {
    // Not before: a Worker may ask for random numbers only while it handles something.
    name ??= newName();
    // Not yet the current one, which is undefined where there is none.
    let own: Transport | null = null;
    // One that was given up may still report; only the current one counts.
    const isCurrent = () => transport === own;
    transport = undefined;
    try {
      transport = own = options.open(
        {
          opened: (isAhead = false) => isCurrent() && reached(isAhead),
          received: (frame) => {
            if (transport !== own) return;
            if (isProbed) ready();
            link.isHeard = true;
            traffic.framesReceived++;
            traffic.bytesReceived += frame.length;
            events.receiveMessage(frame);
          },
          answered: (frames) => isCurrent() && events.answered(frames),
          alive: () => {
            if (!isCurrent()) return;
            if (isProbed) ready();
            link.isHeard = true;
          },
          lost: (code, reason) => isCurrent() && lost(code, reason),
        },
        // What was lost before is lost again more easily, and then waits until it is known that the connection lives.
        offer(name, ++attempts, shown, link.opened === 0 ? events.early() : []),
      );
    } catch (error) {
      // A browser throws where a page of https asks for ws.
      return timer.set(0, () => lost(CLOSE_NORMAL, String(error)));
    }
    if (link.canProbe) timer.set(connectTimeoutMs, () => link.drop('it takes too long'));
  };

  /** Handles that the transport is open. What was lost before may be lost again: so that is tried first. */
  const reached = (isAhead: boolean) => {
    if (link.opened === 0 || !link.canProbe) return ready(isAhead);
    isProbed = true;
    link.probe();
  };

  const ready = (isAhead = false) => {
    timer.stop();
    isProbed = false;
    link.opened++;
    setState('open');
    if (link.canProbe) {
      backoff.opened();
      heartbeat?.start();
    }
    events.opened(isAhead);
  };

  const link: Link = {
    state: 'idle',
    reason: undefined,
    isFinal: false,
    isHeard: true,
    opened: 0,
    traffic,
    get canProbe() {
      return transport?.probe !== undefined;
    },
    onStateChange(listener) {
      // As one of its own, so that the same function can listen twice.
      const entry: StateListener = (...change) => listener(...change);
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    connect(isOffline = false) {
      if (link.state === 'open') return link.canProbe ? heartbeat?.ask?.() : undefined;
      if (isOffline || link.isFinal || transport !== undefined) return;
      if (link.state !== 'reconnecting') setState('connecting');
      timer.stop();
      attempt();
    },
    probe: () => transport?.probe?.(),
    send(frame) {
      // What answers a call over a connection that is gone has nobody to go to.
      if (link.state !== 'open') return;
      traffic.framesSent++;
      traffic.bytesSent += frame.length;
      transport!.send(frame);
    },
    refuse: (error) =>
      lose({ error, wasOpen: true, mayHaveRun: true, isBlamed: true, isTemporary: true }, CLOSE_NORMAL),
    drop: (reason) => lost(CLOSE_ABNORMAL, reason),
    again() {
      leave(link.state, link.reason);
      link.connect();
    },
    rest() {
      if (link.opened === 0 && link.state !== 'closed') leave('idle', link.reason);
    },
    close(error) {
      link.isFinal = true;
      leave('closed', undefined, CLOSE_NORMAL);
      events.lost({ error, wasOpen: true, mayHaveRun: true, isBlamed: false, isTemporary: false });
    },
  };
  const heartbeat = options.settings.tables.watch?.(link, events, options.heartbeat);
  return link;
}

/** Lists what a client offers as subprotocols: the version, its own name and how often it has tried, its token, and its first calls. A page can say nothing else with an upgrade, and no log keeps it. */
function offer(name: string, attempt: number, token: string | undefined, early: readonly string[]): readonly string[] {
  const offered = [SUBPROTOCOL, `${CLIENT_PREFIX}${name}.${attempt}`];
  if (token !== undefined) offered.push(TOKEN_PREFIX + toBase64Url(new TextEncoder().encode(token)));
  return [...offered, ...early, REFUSED_SUBPROTOCOL];
}

/** Makes a client's name: 128 random bits, in hexadecimal. A client makes one, and needs no store of them as servers have. */
export function newName(): string {
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte | 256).toString(16).slice(1));
  return digits.join('');
}
