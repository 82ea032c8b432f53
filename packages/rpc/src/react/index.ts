// For components of React.
export type { CallView, UseCallOptions } from './call-view.ts';
export type { Key } from './shared.ts';
export type { SubscriptionView, UseSubscriptionOptions } from './subscription-reader.ts';
export { useSubscription } from './subscription-reader.ts';
export { useCall } from './use-call.ts';
export { type ConnectionStatus, useConnectionState, useRpc } from './use-rpc.ts';
