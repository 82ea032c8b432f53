export * from './adapter-worker.ts';
export { default } from './adapter-worker.ts';

/** Milliseconds, of which many a round trip fits into one. */
const TICK = 20;

// A Worker's clock stands still while it computes; where everything is on one machine that is often a whole round trip.
performance.now = () => Math.floor(Date.now() / TICK) * TICK;
