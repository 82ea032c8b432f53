import { RpcError, type RpcErrorCode } from '@lumenize/rpc';

/** What a visitor can do about the errors that a working page may meet. */
const ADVICE: Partial<Record<RpcErrorCode, string>> = {
  NOT_EXECUTED: 'Nothing was counted: press again once the page is connected.',
  OUTCOME_UNKNOWN:
    'The connection was lost before the answer came: look whether the value has changed before you press again.',
  VERSION_MISMATCH: 'The server speaks a newer protocol than this page: reload the page.',
  DENIED: 'The server does not take calls from this page: open the page at the server’s own address.',
};

const UNREACHABLE = 'The counter cannot be reached. Is “npm start” still running? This page connects again by itself.';

/** Says what came of an action that failed, and what to do. */
export function explainAction(error: unknown): string {
  const advice = error instanceof RpcError ? ADVICE[error.code] : undefined;
  return advice ?? `${messageOf(error)}. Reload the page to try again.`;
}

/** Says why the page's own look at the counter failed, and what to do. It changes nothing, so its fate does not matter. */
export function explainRefresh(error: unknown): string {
  const lost = error instanceof RpcError && (error.code === 'NOT_EXECUTED' || error.code === 'OUTCOME_UNKNOWN');
  return lost ? UNREACHABLE : explainAction(error);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
