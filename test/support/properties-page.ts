import { PROPERTIES } from '../../packages/structured-clone/test/properties.ts';
import type { BrowserProperties } from '../full/browser/properties.test.ts';

// The script of a page: the same properties as everywhere, to be asked for by name.
(globalThis as { checkProperty?: BrowserProperties }).checkProperty = (name, settings) => {
  try {
    PROPERTIES.find((property) => property.name === name)!.check(settings);
    return undefined;
  } catch (error) {
    const { message, cause } = error as Error;
    return cause === undefined ? message : `${message}\n${cause}`;
  }
};
