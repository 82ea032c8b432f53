// For the adapters of frameworks.

export { type CallStore, type CallView, callStore, type UseCallOptions } from './calls.ts';
export { type ConnectionStatus, optionsKey, type StubStore, stateStore, stubStore } from './connections.ts';
export { type Key, keyText, placeOf, type Store } from './store.ts';
export {
  type Subscribe,
  type SubscriptionStore,
  type SubscriptionView,
  subscriptionStore,
  type UseSubscriptionOptions,
} from './subscriptions.ts';
