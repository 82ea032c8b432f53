import { type Library, loadLibrary } from '../loading/library.ts';
import { MUTANTS } from '../mutants/all.ts';

/** Loads the library with a defect of the list planted in it. Returns undefined if no defect is named. */
export async function plantedLibrary(name: string | undefined): Promise<Library | undefined> {
  if (name === undefined) return undefined;
  const mutant = Object.values(MUTANTS)
    .flat()
    .find((each) => each.name === name);
  if (mutant === undefined) throw new Error(`there is no defect called ${name}`);
  return loadLibrary({ mutant: [mutant] });
}
