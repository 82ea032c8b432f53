declare const VALUE: unique symbol;

/**
 * What stands for a value of the other side: a stub, or a result that need not have arrived. It can be passed wherever
 * the other side takes such a value. The property is for types only, and not there at run time.
 */
export interface Remote<out T> {
  readonly [VALUE]: T;
}

declare const ELSEWHERE: unique symbol;

/** What the members of a stub have, for types only. */
export interface Elsewhere {
  readonly [ELSEWHERE]: true;
}

/** What data that is here has not. Members of a stub look like data with results in it, also where there may be none. */
export interface Here {
  readonly [ELSEWHERE]?: undefined;
}
