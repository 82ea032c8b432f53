export type {
  CallView,
  ConnectionStatus,
  Key,
  SubscriptionView,
  UseCallOptions,
  UseSubscriptionOptions,
} from '@lumenize/stores';
export { useCall, useConnectionState, useRpc, useSubscription } from './hooks.ts';
