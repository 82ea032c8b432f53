export { mapping } from './mapping/index.ts';
