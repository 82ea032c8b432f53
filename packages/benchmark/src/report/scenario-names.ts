const NAMES: Readonly<Record<string, string>> = {
  'increment/sequential': 'increment, one at a time',
  'getValue/sequential': 'getValue, one at a time',
  'mixed/sequential': 'increment, then getValue',
  'increment/one-turn-100': '100 increments in one turn',
  'increment/in-flight': 'increment, 20 in flight',
  'getValue/in-flight': 'getValue, 20 in flight',
  'connect/first-result': 'connect to first result',
};

/** Returns what charts call a scenario: words where there are some, else its name. */
export function scenarioTitle(scenario: string): string {
  return NAMES[scenario] ?? scenario;
}
