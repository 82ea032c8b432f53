// For components of React.
export type { Key } from './shared.ts';
export { type CallView, type UseCallOptions, useCall } from './use-call.ts';
export { type ConnectionStatus, useConnectionState, useRpc } from './use-rpc.ts';
export { type SubscriptionView, type UseSubscriptionOptions, useSubscription } from './use-subscription.ts';
