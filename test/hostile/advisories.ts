/** Root causes of published advisories, and of defects found in libraries that do what this one does. */
export interface Advisory {
  /** Where it was, as short as it is named in `ATTACKS`. */
  readonly where: string;
  /** Its advisories, or versions. */
  readonly published: string;
  readonly cause: string;
}

export const ADVISORIES = [
  {
    where: 'React Flight',
    published: 'CVE-2025-55182',
    cause:
      'unsafe deserialisation: `.then` and `.constructor` of what a client sent were reachable; denial of service after it',
  },
  { where: 'oRPC, paths', published: 'CVE-2026-28794', cause: 'a path walked `__proto__` before it was validated' },
  {
    where: 'oRPC, Sets',
    published: 'GHSA-4p2c-m292-ghmh',
    cause: 'Sets were built again and again, before authentication',
  },
  {
    where: 'seroval',
    published: 'CVE-2026-23736, -23737, -23956, -23957, -24006, -59940',
    cause:
      'polluted prototypes; RegExps; claimed lengths believed; no limit of depth; a control node that trusted any entry',
  },
  {
    where: 'devalue',
    published: 'CVE-2025-57820, CVE-2026-22774, -30226, -42570',
    cause: '`__proto__` as a key; typed arrays over what is no buffer; memory and time of sparse arrays',
  },
  { where: 'flatted', published: 'CVE-2026-32141, -33228', cause: 'unbounded recursion; `__proto__` as an index' },
  { where: 'superjson', published: 'CVE-2022-23631', cause: 'polluted prototypes, and so running code' },
  { where: 'msgpackr', published: 'CVE-2023-52079', cause: 'references that recurse' },
  { where: 'tRPC', published: 'CVE-2025-43855', cause: 'bad connection parameters crash the server' },
  {
    where: '@ungap/structured-clone',
    published: 'all versions',
    cause: 'a few bytes allocate a gigabyte; deep values overflow the stack; `new globalThis[name]`',
  },
  {
    where: 'Lumenize before',
    published: 'up to 0.26',
    cause:
      '`new globalThis[name]`; `constructor` and `__proto__` by path; `ctx` and `env` open; chains run twice; data that looks like a control marker is obeyed; what cannot be encoded is never answered',
  },
  {
    where: "Cap'n Web",
    published: '0.12',
    cause:
      'no cap on references and pending calls; keys such as `constructor` deleted from data; huge ids throw inside the receiver',
  },
  { where: 'birpc, Comlink', published: 'all versions', cause: 'no guard on names: `constructor` answers' },
] as const satisfies readonly Advisory[];

export type Where = (typeof ADVISORIES)[number]['where'];
