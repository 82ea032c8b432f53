import { parseArgs } from 'node:util';
import { IDLE_KINDS, measureIdle } from './idle.ts';

// `npm run tool -- idle --connections 5000`: what a connection that idles costs workerd, awake and hibernating.

const { values } = parseArgs({ options: { connections: { type: 'string', default: '5000' } } });
const connections = Number(values.connections);
const table: Record<string, Record<string, string | number>> = {};
for (const kind of IDLE_KINDS) {
  const { of, hibernates, points, residentBytes, heapBytes, answered } = await measureIdle(kind, connections);
  table[`${of}, ${hibernates ? 'hibernating' : 'awake'}`] = {
    'resident bytes a connection': Math.round(residentBytes),
    'of them on the heap': Math.round(heapBytes),
    answered,
    'resident MB by number': points
      .map((point) => `${point.connections}: ${(point.residentBytes / 1e6).toFixed(1)}`)
      .join(', '),
  };
}
console.table(table);
