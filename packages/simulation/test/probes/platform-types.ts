// What probes use of the platform, whose own types are of Workers only.

export interface Socket {
  readonly readyState: number;
  accept(): void;
  send(data: string): void;
  close(code?: number, reason?: string): void;
  serializeAttachment(value: unknown): void;
  deserializeAttachment(): unknown;
  addEventListener(type: string, listener: (event: { data: string; code: number; wasClean: boolean }) => void): void;
}

export interface Cursor {
  readonly rowsWritten: number;
  readonly columnNames: string[];
  toArray(): unknown[];
  one(): unknown;
}

export interface Storage {
  readonly kv: {
    get(key: string): unknown;
    put(key: string, value: unknown): void;
    list(options?: object): Iterable<unknown>;
  };
  readonly sql: { exec(text: string, ...values: unknown[]): Cursor };
  get(key: string): Promise<unknown>;
  put(key: string, value: unknown): Promise<void>;
  sync(): Promise<void>;
  deleteAll(): Promise<void>;
  transactionSync<Result>(job: () => Result): Result;
  transaction<Result>(job: (transaction: Storage & { rollback(): void }) => Promise<Result>): Promise<Result>;
  setAlarm(at: number): Promise<void>;
  getAlarm(): Promise<number | null>;
}

export interface Context {
  readonly storage: Storage;
  acceptWebSocket(socket: Socket, tags?: string[]): void;
  getWebSockets(tag?: string): Socket[];
  getTags(socket: Socket): string[];
  getWebSocketAutoResponse(): { readonly request: string } | null;
  setWebSocketAutoResponse(pair: object): void;
  getWebSocketAutoResponseTimestamp(socket: Socket): Date | null;
  blockConcurrencyWhile<Result>(job: () => Promise<Result>): Promise<Result>;
  waitUntil(promise: Promise<unknown>): void;
  abort(reason?: string): void;
}
