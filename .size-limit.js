// What pages and Workers load of the packages, as they are built: `npm run size`.
import { sizeChecks } from './packages/benchmark/src/size/budgets.ts';

export default await sizeChecks();
