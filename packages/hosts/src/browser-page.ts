/** A page in a browser without a window. Disposing it ends the browser. */
export interface BrowserPage extends AsyncDisposable {
  /** The version of the browser, such as `153.7.0`. */
  readonly version: string;
  /** Loads a page, and resolves when it has loaded. */
  goto(url: string): Promise<void>;
  /** Evaluates an expression in the page. Resolves with its value, or the value of its promise, as JSON. */
  evaluate<T>(expression: string): Promise<T>;
}

/** A browser that may be installed on this machine. */
export interface BrowserHost {
  readonly name: string;
  /** Returns what is missing to run the browser, such as a command on `PATH`; undefined if nothing is missing. */
  missing(): string | undefined;
  open(): Promise<BrowserPage>;
}
