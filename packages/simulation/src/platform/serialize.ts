import * as v8 from 'node:v8';

/**
 * Clones a value into bytes, as the platform stores it.
 * @throws {DOMException} `DataCloneError` where it cannot be cloned
 */
export function serialize(value: unknown): Buffer {
  try {
    return v8.serialize(value);
  } catch (error) {
    throw new DOMException((error as Error).message, 'DataCloneError');
  }
}
