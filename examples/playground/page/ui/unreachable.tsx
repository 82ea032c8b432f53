import type { PageConnection } from '../connection/page-connection.ts';

/** Says what to do where the Worker cannot be reached, other than because this page has unplugged itself. */
export function Unreachable({
  connection,
}: {
  readonly connection: Pick<PageConnection<object>, 'cable' | 'state' | 'reason'>;
}) {
  const { cable, state, reason } = connection;
  const isLost = cable.isJoined.value && reason.value !== undefined && state.value !== 'open';
  return (
    <div role="alert">
      {isLost && (
        <p class="notice">
          {reason.value?.code === 'NOT_EXECUTED'
            ? 'The Worker cannot be reached. Is “npm start” still running? This page connects again by itself.'
            : `${reason.value?.message}. Reload the page to try again.`}
        </p>
      )}
    </div>
  );
}
