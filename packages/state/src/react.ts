export type { StatePosition } from './position.ts';
