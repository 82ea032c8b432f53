import * as v8 from 'node:v8';

/**
 * Serializes a value into bytes, as the platform stores it.
 * @throws {DOMException} `DataCloneError` if the value cannot be cloned
 */
export function serialize(value: unknown): Buffer {
  try {
    return v8.serialize(value);
  } catch (error) {
    throw new DOMException((error as Error).message, 'DataCloneError');
  }
}
