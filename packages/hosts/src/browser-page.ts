/** A page in a browser without a window; disposing it ends the browser. */
export interface BrowserPage extends AsyncDisposable {
  /** The browser's version, such as `153.7.0`. */
  readonly version: string;
  /** Loads a page and resolves when it has loaded. */
  goto(url: string): Promise<void>;
  /** Evaluates an expression in the page; resolves to its value, or what its promise resolves to, as JSON carries it. */
  evaluate<T>(expression: string): Promise<T>;
}

/** A browser that may be installed here. */
export interface BrowserHost {
  readonly name: string;
  /** What is missing, such as a command that is not on `PATH`; undefined where nothing is. */
  missing(): string | undefined;
  open(): Promise<BrowserPage>;
}
