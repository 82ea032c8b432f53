import worker, { Program as First } from './worker.ts';

export { Limiter } from './worker.ts';

/** The next version of the class, which deploys install. */
export class Program extends First {
  override readonly version = 1;
}

export default worker;
