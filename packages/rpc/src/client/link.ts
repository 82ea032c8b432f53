import { isFinal, type RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_DROPPED, CLOSE_NORMAL } from '../protocol/errors.ts';
import type { Message } from '../protocol/message.ts';
import { tokenOf } from '../protocol/token.ts';
import { CLIENT_PREFIX, REFUSED_SUBPROTOCOL, SUBPROTOCOL, tokenProtocol } from '../protocol/version.ts';
import { Timer } from '../session/timer.ts';
import type { Transport } from '../transport/transport.ts';
import { backoffOf } from './backoff.ts';
import { classifyLoss, type Loss, rejectLater } from './loss.ts';
import type { ClientOptions, ConnectionState, StateListener } from './options.ts';

/** Receives the events of a link. */
export interface LinkEvents {
  /** True while calls are in flight or wait to be sent. */
  readonly isWaiting: boolean;
  /**
   * Returns the subprotocols that carry the first calls in the request that opens a connection, so that the server can
   * read them early.
   */
  early(): readonly string[];
  /** Called when frames can be sent. `isAhead` is true if the server has already taken the early calls. */
  opened(isAhead: boolean): void;
  receiveMessage(frame: Message): void;
  answered(frames: readonly Message[]): void;
  /** Called when a connection has ended, or an attempt to connect has failed. */
  lost(loss: Loss): void;
}

/**
 * A client's link to its server, over one transport after another. It connects, notices when a connection is dead, and
 * connects again. Frames can be sent only while it is open.
 */
export interface Link {
  state: ConnectionState;
  /** The reason for having no connection, if there is none. */
  reason: RpcError | undefined;
  /** True if this side has closed the link, which then never opens again. */
  isFinal: boolean;
  /** True if there was a sign of life from the peer since the last check. */
  isHeard: boolean;
  /** Number of connections that were made. */
  opened: number;
  /**
   * True if the transport can tell whether a connection is alive. Other connections are not watched: after a loss, the
   * next call connects again.
   */
  readonly canProbe: boolean;
  /** Calls a listener with each change of the state. Returns a function that removes the listener. */
  onStateChange(listener: StateListener): () => void;
  /**
   * Connects now, unless `isOffline` says that there is no network, or the link is closed for good. If a connection is
   * open, checks that it is alive.
   */
  connect(isOffline?: boolean): void;
  /** Asks the peer for a sign of life. */
  probe(): void;
  /** Counts of frames and bytes, over all connections. */
  readonly traffic: { framesSent: number; framesReceived: number; bytesSent: number; bytesReceived: number };
  /** Sends a frame, or drops it if there is no connection. */
  send(frame: Message): void;
  /**
   * Closes the connection after a malformed frame or a refusal. Its calls are not sent again over the next connection.
   */
  refuse(error: RpcError): void;
  /** Closes the connection, and treats it as lost. */
  drop(reason: string): void;
  /**
   * Connects again with a newly requested token. Gives up an attempt that is under way, because it asked for its token
   * earlier.
   */
  reconnect(): void;
  /** Stops connecting if no attempt has ever succeeded. The next call starts again. */
  rest(): void;
  /** Ends the link for good. Its calls reject with `error`. */
  close(error: RpcError): void;
}

/** Returns the link of a client. */
export function linkOf(options: ClientOptions, events: LinkEvents): Link {
  const { connectTimeoutMs, description, reconnect, token } = options;
  const listeners = new Set<StateListener>();
  const backoff = backoffOf(reconnect);
  const traffic = { framesSent: 0, framesReceived: 0, bytesSent: 0, bytesReceived: 0 };
  /** Runs until the next attempt, or until the attempt under way has taken too long. */
  const timer = new Timer();
  /** The client's name, by which the server knows that connections belong to the same client. */
  let name: string | undefined;
  /**
   * Number of attempts so far, by which the server knows the newest one: a delayed upgrade may arrive after a later
   * one.
   */
  let attempts = 0;
  let transport: Transport | undefined;
  let isProbed = false;
  /** True unless the last transport cannot be probed, so that the next one will not be either. */
  let mayProbe = true;
  /** True if the last connection or attempt ended because the token had expired. */
  let wasExpired = false;

  const setState = (state: ConnectionState, reason?: RpcError) => {
    if (state === link.state && reason === link.reason) return;
    link.reason = reason;
    link.state = state;
    // Listeners run later, so that whatever they do or throw finds the session in its new state. A listener that was
    // removed meanwhile does not run.
    for (const listener of listeners) {
      queueMicrotask(() => {
        try {
          if (listeners.has(listener)) listener(state, reason);
        } catch (error) {
          // Node would end at an error that nothing catches.
          console.error(error);
        }
      });
    }
  };

  /** Enters a state without a transport: drops the transport and stops the timers. */
  const leave = (state: ConnectionState, reason: RpcError | undefined, code = CLOSE_DROPPED) => {
    const left = transport;
    transport = undefined;
    isProbed = false;
    timer.stop();
    heartbeat?.stop();
    setState(state, reason);
    try {
      left?.close(code, '');
    } catch {
      // A transport that cannot be closed is given up all the same, so that its calls settle.
    }
  };

  /** Handles a loss: connects again if that can help, otherwise rests or closes. */
  const lose = (loss: Loss, code: number) => {
    const { error, wasOpen } = loss;
    const isResumed = reconnect !== false && link.canProbe;
    // A new token can cure an expired one if `token` is a function, but not if a token from that function has just
    // expired.
    const isExpired = error.code === 'EXPIRED';
    const isRenewed = isExpired && typeof token === 'function' && (wasOpen || !wasExpired);
    wasExpired = isExpired;
    const isTemporary = isResumed && (isExpired ? isRenewed : loss.isTemporary);
    leave(isTemporary ? 'reconnecting' : isResumed ? 'closed' : 'idle', error);
    if (isTemporary) {
      heartbeat?.wake();
      timer.set(backoff.next(code, error), attempt);
    }
    events.lost({ ...loss, isTemporary });
  };

  const closed = (code: number, reason: string) =>
    lose(classifyLoss(code, reason, description, link.state === 'open', link.canProbe), code);

  /** Gives up a transport that threw. Later, because the session may still be sending. */
  const threw = (error: unknown) => timer.set(0, () => closed(CLOSE_NORMAL, String(error)));

  const attempt = () => {
    if (typeof token !== 'function') return start(tokenOf(token));
    // A placeholder, so that no other attempt begins while the token is awaited.
    const asked: Transport = { send() {}, close() {}, ...(mayProbe && { probe() {} }) };
    transport = asked;
    const ask = async () => tokenOf(await token());
    ask().then(
      (given) => transport === asked && start(given),
      (error) =>
        rejectLater(() => {
          if (transport !== asked) return;
          if (isFinal(error)) lose({ ...ended(error, false), wasOpen: false }, CLOSE_NORMAL);
          else closed(CLOSE_NORMAL, `NOT_EXECUTED: token() failed: ${error}`);
        }),
    );
  };

  const start = (shown: string | undefined) => {
    // Not made earlier: a Worker may ask for random numbers only while it handles an event.
    name ??= newName();
    // Null until the transport exists, so that it does not equal `transport`, which is undefined until then.
    let own: Transport | null = null;
    // A transport that was given up may still report events. Only the current one counts.
    const isCurrent = () => transport === own;
    transport = undefined;
    try {
      transport = own = options.open(
        {
          opened: (isAhead) => isCurrent() && reached(isAhead),
          received: (frame) => {
            if (!isCurrent()) return;
            heard();
            traffic.framesReceived++;
            traffic.bytesReceived += frame.length;
            events.receiveMessage(frame);
          },
          answered: (frames) => isCurrent() && events.answered(frames),
          alive: () => isCurrent() && heard(),
          closed: (code, reason) => isCurrent() && closed(code, reason),
        },
        // Early calls go only with the first connection. After a loss, a new one is more likely to fail as well, so
        // calls wait until it has shown that it is alive.
        offer(name, ++attempts, shown, link.opened === 0 ? events.early() : []),
      );
    } catch (error) {
      // A browser throws if a page that was loaded over https opens a ws URL.
      return threw(error);
    }
    mayProbe = link.canProbe;
    if (mayProbe) timer.set(connectTimeoutMs, () => link.drop('it takes too long'));
  };

  /**
   * Called when the transport is open. After an earlier connection, the link first asks for a sign of life, because the
   * new connection may be lost as well.
   */
  const reached = (isAhead?: boolean) => {
    if (link.opened === 0 || !link.canProbe) return ready(isAhead);
    isProbed = true;
    link.probe();
  };

  /** Called at each sign of life. */
  const heard = () => {
    if (isProbed) ready();
    link.isHeard = true;
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
      // A new function for each registration, so that the same listener can be added twice.
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
    probe() {
      try {
        transport?.probe?.();
      } catch (error) {
        threw(error);
      }
    },
    send(frame) {
      // An answer to a call of a lost connection has no receiver.
      if (link.state !== 'open') return;
      traffic.framesSent++;
      traffic.bytesSent += frame.length;
      try {
        transport!.send(frame);
      } catch (error) {
        threw(error);
      }
    },
    refuse: (error) => lose(ended(error, true), CLOSE_NORMAL),
    drop: (reason) => closed(CLOSE_ABNORMAL, reason),
    reconnect() {
      leave(link.state, link.reason);
      link.connect();
    },
    rest() {
      if (link.opened === 0 && link.state !== 'closed') leave('idle', link.reason);
    },
    close(error) {
      link.isFinal = true;
      leave('closed', undefined, CLOSE_NORMAL);
      events.lost(ended(error, false));
    },
  };
  const heartbeat = options.settings.tables.watch?.(link, events, options.heartbeat);
  return link;
}

/** Returns the end of a connection by this side, because of something that the peer sent or for good. */
function ended(error: RpcError, isOfPeer: boolean): Loss {
  return { error, wasOpen: true, mayHaveRun: true, isBlamed: isOfPeer, isTemporary: isOfPeer };
}

/**
 * Returns the subprotocols that a client offers: the version, its name and number of attempts, its token, and its first
 * calls. A page can send nothing else with an upgrade, and logs do not record subprotocols.
 */
function offer(name: string, attempt: number, token: string | undefined, early: readonly string[]): readonly string[] {
  const offered = [SUBPROTOCOL, `${CLIENT_PREFIX}${name}.${attempt}`];
  if (token !== undefined) offered.push(tokenProtocol(token));
  return [...offered, ...early, REFUSED_SUBPROTOCOL];
}

/**
 * Returns a name for a client: 128 random bits, in hexadecimal. A client needs only one, so it draws no random bytes in
 * advance, as servers do.
 */
export function newName(): string {
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte | 256).toString(16).slice(1));
  return digits.join('');
}
