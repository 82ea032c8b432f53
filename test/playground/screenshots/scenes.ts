import type { Page } from 'playwright-core';
import type { OpenPlayground } from '../open-playground.ts';

/** A picture of the playground. */
export interface Scene {
  /** Its file, without `.png`. */
  readonly name: string;
  readonly hash: string;
  readonly size: keyof typeof SIZES;
  readonly colorScheme: 'light' | 'dark';
  /** Has the page show what there is to see. */
  prepare(page: Page, playground: OpenPlayground): Promise<void>;
}

/** A laptop's window, and a small phone at twice its density. */
export const SIZES = {
  desktop: { viewport: { width: 1280, height: 960 }, deviceScaleFactor: 1 },
  phone: { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
} as const;

/** Each picture of a section is of an object of its own. */
const NAMES = ['garden', 'harbour', 'attic'];

/** Each section, in the sizes and colours in which it is shown. */
export const SCENES: readonly Scene[] = [
  ...shots('counter', breakCounter, ['desktop', 'light'], ['desktop', 'dark'], ['phone', 'dark']),
  ...shots('race', race, ['desktop', 'light'], ['desktop', 'dark'], ['phone', 'light']),
  ...shots('values', lookAtValue, ['desktop', 'light'], ['phone', 'dark']),
  ...shots('chat', chat, ['desktop', 'dark'], ['phone', 'light']),
  ...shots('inspector', inspect, ['desktop', 'light'], ['phone', 'dark']),
];

function shots(
  section: string,
  prepare: Scene['prepare'],
  ...kinds: [Scene['size'], Scene['colorScheme']][]
): readonly Scene[] {
  return kinds.map(([size, colorScheme], place) => {
    const name = `playground-${section}-${size}-${colorScheme}`;
    return { name, size, colorScheme, prepare, hash: `#${section}/${NAMES[place]}` };
  });
}

async function breakCounter(page: Page): Promise<void> {
  const press = (button: string) => page.getByRole('button', { name: button, exact: true }).click();
  for (const [button, outcome] of [
    ['+100', 'answered: 100'],
    ['+1', 'OUTCOME_UNKNOWN: it'],
    ['+1, once', 'and has run once'],
  ]) {
    if (button !== '+100') await press('Lose the next answer');
    await press(button);
    await page.getByText(outcome).waitFor();
  }
}

async function race(page: Page): Promise<void> {
  await page.getByLabel('100 writes in a turn').check();
  await page.getByRole('button', { name: 'Race', exact: true }).click();
  await page.getByRole('button', { name: 'Race again' }).waitFor();
}

async function lookAtValue(page: Page): Promise<void> {
  await page.getByText('Arrived as it left').first().waitFor();
}

async function chat(page: Page, playground: OpenPlayground): Promise<void> {
  await rename(page, 'Heron');
  const { page: other } = await playground.open(new URL(page.url()).hash);
  await rename(other, 'Wren');
  await say(page, 'Is anybody here?');
  await say(other, 'I am. This object sleeps whenever we are silent.');
  await page.getByRole('button', { name: 'Put this page to sleep' }).click();
  await say(other, 'Like you now, I see.');
  await say(other, 'What I say meanwhile is kept for you.');
  await page.getByRole('button', { name: 'Wake it up' }).click();
  await page.getByText('2 messages while this page slept').waitFor();
  await say(page, 'Good morning! I have it all.');
}

async function inspect(page: Page): Promise<void> {
  const go = (title: string) => page.getByRole('navigation').getByRole('link', { name: title }).click();
  await go('Values');
  await page.getByText('Arrived as it left').first().waitFor();
  await go('Inspector');
  await page.getByRole('button', { name: 'Make a call' }).click();
  // Both calls, and both answers.
  const frames = page.locator('tr.frame');
  await frames.nth(3).waitFor();
  await frames.filter({ hasText: 'echo(' }).getByRole('button').press('Enter');
  await page.locator('.details').waitFor();
}

async function rename(page: Page, name: string): Promise<void> {
  await page.getByText('Connected', { exact: true }).waitFor();
  await page.getByLabel('Your name').fill(name);
  await page.getByRole('button', { name: 'Take it' }).click();
  await page.getByText(`${name} (you)`).waitFor();
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Say something').fill(text);
  await page.keyboard.press('Enter');
  await page.locator('.transcript').getByText(text, { exact: true }).waitFor();
}
