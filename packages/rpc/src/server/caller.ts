/** Who is connected, as `authenticate` of `routeRpc` found out; the same object again after hibernation. */
export interface Caller<Identity = unknown> {
  /** What `authenticate` returned; undefined where there is no authentication. */
  readonly identity: Identity;
  /** A random name of this connection. */
  readonly connectionId: string;
}
