import { expectAnswer, type Scenario } from './scenario.ts';
import { repeatedTurn } from './turn.ts';

const FAMILY = 'pipeline';

/** Three steps as one chain, of which only the last result is wanted, one chain at a time. */
export function chain(name: string, turns: number): Scenario {
  return repeatedTurn({
    ...{ family: FAMILY, name, sample: 'call', turns },
    calls: (work) => work.owner().profile().name,
    verify: (answer) => expectAnswer('the chain', answer, 'Ada'),
  });
}

/** The result of a chain as the argument of another call, in one turn. */
export function argumentReference(name: string, turns: number): Scenario {
  return repeatedTurn({
    ...{ family: FAMILY, name, sample: 'call', turns },
    calls: (work) => work.greet(work.owner().profile().name),
    verify: (answer) => expectAnswer('greet', answer, 'Hello, Ada'),
  });
}

/** `calls` calls of one turn, all of whose results are wanted; a sample is a turn. */
export function batch(name: string, calls: number, turns: number): Scenario {
  return repeatedTurn({
    ...{ family: FAMILY, name, sample: 'turn', turns, operations: calls },
    calls: (work) => Promise.all(Array.from({ length: calls }, (_, i) => work.square(i))),
    verify: (answer) => expectList('square', answer, calls, (i) => i * i),
  });
}

/** A list made and mapped by the other side, a call for each of its elements; a sample is a turn. */
export function map(name: string, elements: number, turns: number): Scenario {
  return repeatedTurn({
    ...{ family: FAMILY, name, sample: 'turn', turns, operations: elements },
    calls: (work) => work.numbers(elements).map((number) => work.square(number)),
    verify: (answer) => expectList('map', answer, elements, (i) => (i + 1) ** 2),
  });
}

/** A call to which the other side answers after calling a function of this one. */
export function callback(name: string, turns: number): Scenario {
  return repeatedTurn({
    ...{ family: FAMILY, name, sample: 'call', turns },
    calls: (work, i) => work.callBack((value) => value + 1, i),
    verify: (answer, i) => expectAnswer('callBack', answer, i + 1),
  });
}

function expectList(what: string, answer: unknown, length: number, item: (i: number) => number): void {
  const list = answer as readonly unknown[];
  expectAnswer(`the number of results of ${what}`, list.length, length);
  for (let i = 0; i < length; i++) expectAnswer(`${what}, ${i}`, list[i], item(i));
}
