import { connect } from '@lumenize/rpc';
import { RpcTarget } from '@lumenize/rpc/port';
import { newWebSocketRpcSession } from 'capnweb';
import { trafficTo } from './counted-web-socket.ts';
import { type Contestant, type Lane, type Round, race } from './race.ts';
import { type RaceStub, SCENARIOS, type ScenarioId } from './scenarios.ts';

/** What a race is about. */
export interface RaceRequest {
  readonly scenario: ScenarioId;
  /** The name of the counters. */
  readonly name: string;
  readonly rounds: number;
  readonly blockMs: number;
}

/** Runs races, in a Worker: so nothing that the page draws is in the way of those who race, nor they in the page's. */
export class Racer extends RpcTarget {
  /**
   * Runs a race, telling of each round, until it is over or `signal` is aborted.
   * @throws {Error} where a connection fails
   */
  async run(request: RaceRequest, onRound: (round: Round) => unknown, signal: AbortSignal): Promise<void> {
    const scenario = SCENARIOS.find(({ id }) => id === request.scenario);
    if (scenario === undefined) throw new TypeError(`there is no scenario ${request.scenario}`);
    const urls = urlsOf(request.name);
    using lumenize = connect<never>(urls.lumenize) as RaceStub & Disposable;
    using capnweb = newWebSocketRpcSession(urls.capnweb) as unknown as RaceStub & Disposable;
    const lanes: Record<Contestant, Lane> = {
      lumenize: { stub: lumenize, traffic: () => trafficTo(urls.lumenize) },
      capnweb: { stub: capnweb, traffic: () => trafficTo(urls.capnweb) },
    };
    const racing = race(lanes, scenario, { ...request, onRound, signal });
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    // Whoever stops it does not wait for an answer that may never come; it fails when the connections are closed.
    await Promise.race([racing, aborted]);
    racing.catch(() => {});
  }
}

function urlsOf(name: string): Record<Contestant, string> {
  const origin = location.origin.replace(/^http/, 'ws');
  const segment = encodeURIComponent(name).replaceAll("'", '%27');
  return { lumenize: `${origin}/rpc/race/${segment}`, capnweb: `${origin}/capnweb/race/${segment}` };
}
