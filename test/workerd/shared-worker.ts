export { Back, Front } from './traced-worker.ts';
export * from './worker.ts';
export { default } from './worker.ts';
