import { expect } from 'vitest';
import { promisedOutput } from './code-blocks.ts';
import type { DocumentCode } from './document-code.ts';

/** Runs a program of a document, which has to print what its comments say; with a port, against the server there. */
export async function printsWhatItSays(code: DocumentCode, name: string, text: string, port?: number): Promise<void> {
  const promised = promisedOutput(text);
  expect(promised.length).toBeGreaterThan(0);
  const file = port === undefined ? name : `here-${name}`;
  await code.write(file, port === undefined ? text : text.replaceAll('localhost:8787', `127.0.0.1:${port}`));
  expect(await code.run(file)).toEqual(promised);
}
