// Types of the platform under their own names, for declarations that clients read. Not every project includes the library that
// declares them, and a name that nothing declares counts as `any`, which lets every mistake pass. Where nothing declares them,
// they are the members that matter, and the comments keep the compiler from complaining about their names.

/** A type of the platform; `Otherwise` where nothing declares it. */
type Declared<T, Otherwise> = [0, 1] extends [1 & T, T] ? Otherwise : T;

interface MinimalUrl {
  readonly href: string;
  readonly searchParams: object;
}

interface MinimalSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
}

interface MinimalRequest {
  readonly method: string;
  readonly headers: object;
}

interface MinimalResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: object;
}

interface MinimalInit {
  readonly method?: string;
  readonly headers?: object;
  readonly body?: unknown;
}

// biome-ignore-start lint/suspicious/noTsIgnore: not every project has an error there
/** @ts-ignore */
export type URL = Declared<globalThis.URL, MinimalUrl>;
/** @ts-ignore */
export type AbortSignal = Declared<globalThis.AbortSignal, MinimalSignal>;
/** @ts-ignore */
export type Request = Declared<globalThis.Request, MinimalRequest>;
/** @ts-ignore */
export type Response = Declared<globalThis.Response, MinimalResponse>;
/** @ts-ignore */
export type RequestInit = Declared<globalThis.RequestInit, MinimalInit>;
/** @ts-ignore */
type Headers = Declared<globalThis.Headers, never>;
// biome-ignore-end lint/suspicious/noTsIgnore: as above

/** Headers, or what they can be made of. Node declares no type of that name. */
export type HeadersInit = Headers | Iterable<readonly [name: string, value: string]> | Readonly<Record<string, string>>;
