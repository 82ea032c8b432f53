export { mapping } from './mapping/index.ts';
export { references } from './references/index.ts';
