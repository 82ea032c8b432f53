import { all } from '@lumenize/structured-clone-next/messages';
import { answering } from '../peer/answering.ts';
import { followCalls } from '../peer/context.ts';
import { everything } from '../peer/features.ts';
import type { PeerLimits, Settings } from '../peer/options.ts';
import { settingsOf } from '../peer/settings.ts';
import { supportOptions } from './declare.ts';
import { deliver } from './deliver.ts';
import { topics } from './topics/topics.ts';

/** Options for serving a target, wherever it is. */
export interface ServerOptions {
  /** Limits on the requests of a client. Limits that are left out have their defaults. */
  limits?: Partial<PeerLimits>;
  /** Sends the stacks of thrown errors to the caller. @default false, because stacks reveal the server's code */
  errorStacks?: boolean;
  /**
   * Types, and names of registered classes, that are refused in arguments.
   * @default ['RegExp'], because matching a stranger's pattern can take for ever
   */
  refuse?: readonly string[];
  /**
   * Called with each error that a method threw, with the name of the method and its call.
   * @default errors that look like defects are logged with `console.error`
   */
  onError?: Settings['onError'];
  /** Observes the calls that this side makes and answers: see `observeCalls` of `@lumenize/rpc/observe`. */
  observe?: Settings['observe'];
}

/** Returns the settings of a server's sessions. `settled` is told of calls that need no stored results any more. */
export function serverSettings(options: ServerOptions, settled?: Settings['settled']): Settings {
  const { limits, errorStacks, refuse = ['RegExp'], onError, observe } = options;
  supportOptions();
  followCalls();
  return settingsOf({
    features: [...everything, topics],
    answering,
    types: all,
    limits,
    stacks: errorStacks,
    refuse,
    onError,
    deliver,
    settled,
    observe,
  });
}
