export { advice } from './advice/index.ts';
export { mapping } from './mapping/index.ts';
export { references } from './references/index.ts';
export { renewal } from './renewal/index.ts';
export { streams } from './streams/index.ts';
export { subscriptions } from './subscriptions/index.ts';
export { webValues } from './web-values/index.ts';
