import type { Work } from '../work/work.ts';
import { callEach } from './call-each.ts';
import type { Connection } from './subject.ts';

/** Makes a connection of a way to make the calls of one turn. */
export function connectionOver(turn: NonNullable<Connection['turn']>, close: () => void): Connection {
  return {
    increment: () => turn((work) => work.increment()),
    getValue: () => turn((work) => work.getValue()),
    reset: () => turn((work) => work.reset()),
    incrementInOneTurn: async (n) => turn((work) => callEach(n, () => work.increment())),
    turn,
    close,
  };
}

/** Makes a connection of a stub that is there for as long as it is open. */
export function connectionOf(stub: unknown, close: () => void): Connection {
  return connectionOver((calls) => calls(stub as Work), close);
}
