import { parseArgs } from 'node:util';
import { measureMotion } from './measure.ts';

// `npm run tool -- presence -- --members 50 --hertz 20 --seconds 30`: what members that move cost an object in workerd.

const { values } = parseArgs({
  options: {
    members: { type: 'string', default: '50' },
    hertz: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '30' },
  },
});
const figures = await measureMotion({
  members: Number(values.members),
  hertz: Number(values.hertz),
  seconds: Number(values.seconds),
});
console.table({
  'frames a second to each': figures.frames.toFixed(1),
  'most in any second': figures.mostFrames,
  'kB a second to each': (figures.characters / 1000).toFixed(1),
  'moves a second seen by each': figures.seen.toFixed(0),
  'of a core': `${(100 * figures.processor).toFixed(1)} %`,
  'tables in storage': figures.tables.length,
  'made: after the motion, 14.5 s later': figures.births.join(', '),
});
process.exit();
