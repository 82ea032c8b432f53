import { byValue, itsOwnWay, type RowGroup } from '../row.ts';

class QuotaError extends RangeError {
  override name = 'QuotaError';
}

const CLASSES = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

const causeChain = () => new Error('outer', { cause: new TypeError('middle', { cause: { code: 7 } }) });
const causedByItself = () => {
  const cause: { error?: Error } = {};
  // As an option, which makes it a property that is not enumerable: on one that was assigned, capnweb never ends.
  cause.error = new Error('round', { cause });
  return cause.error;
};
const hiddenName = () => Object.defineProperty(new Error('text'), 'name', { value: 'Hidden', configurable: true });

export const ERRORS: RowGroup = {
  heading: 'Errors, without their stacks',
  rows: [
    byValue('Error', () => new Error('text')),
    byValue('its subclasses', ...CLASSES.map((Class) => ({ label: Class.name, make: () => new Class('text') }))),
    byValue('AggregateError', () => new AggregateError([new Error('one'), 'two'], 'text')),
    byValue(
      'SuppressedError',
      () => new SuppressedError(new Error('of the disposal'), new Error('of the block'), 'text'),
    ),
    byValue('an error without a message', () => new Error()),
    byValue(
      'a name of its own',
      { label: 'assigned', make: () => Object.assign(new Error('text'), { name: 'QuotaError' }) },
      { label: 'hidden', make: hiddenName },
    ),
    byValue('a chain of causes', causeChain),
    byValue('a cause that leads back', causedByItself),
    byValue('properties of its own', () => Object.assign(new TypeError('text'), { code: 'E', details: { at: [1] } })),
    byValue(
      'DOMException',
      { label: 'AbortError', make: () => new DOMException('text', 'AbortError') },
      { label: 'a name of its own', make: () => new DOMException('text', 'Custom') },
    ),
    itsOwnWay(
      'the class of an error that nobody registered',
      'it arrives as the nearest class that is known, with its name',
      () => new QuotaError('text'),
    ),
  ],
};
