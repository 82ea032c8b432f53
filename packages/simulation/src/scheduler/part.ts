import { requireRealm } from './realm.ts';

/** How long a part of the library takes to load, at most, in milliseconds. */
const MOST_LOAD_MS = 40;

/** Loads a part of the library as a page does, some time later: what it really takes does not count. */
export function loadPart<Part>(job: () => Promise<Part>): Promise<Part> {
  const realm = requireRealm('import()');
  const { scheduler } = realm;
  return new Promise((resolve, reject) => {
    realm.after(scheduler.random.between(`load ${realm.name}`, 0, MOST_LOAD_MS), 'load', () => {
      realm.note('load');
      scheduler.standStill(job()).then(resolve, reject);
    });
  });
}
