/** Returns why commands of this repository cannot run, and what to do; undefined if they can. */
export function obstacle(version: string, isInstalled: boolean, brought: string): string | undefined;
/** Returns what to say after an installation by an older Node; undefined if there is nothing to say. */
export function afterInstallation(userAgent: string, brought: string): string | undefined;
/** Ends the process with a message if commands of this repository cannot run. */
export function requireNode(): void;
