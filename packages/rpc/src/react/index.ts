// For components of React.
export type { CallView } from './call-view.ts';
export type { Key } from './key.ts';
export type { SubscriptionView, UseSubscriptionOptions } from './subscription-reader.ts';
export { type UseCallOptions, useCall } from './use-call.ts';
export { type ConnectionStatus, useConnectionState } from './use-connection-state.ts';
export { useRpc } from './use-rpc.ts';
export { useSubscription } from './use-subscription.ts';
