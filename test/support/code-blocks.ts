const BLOCK = /^```(\w*)\n([\s\S]*?)^```$/gm;
/** What is for people to type, or to look at. */
const NO_CODE = ['', 'sh', 'text', 'hex'];
const NAMED = /^(?:\/\/|#|<!--) ([\w/-]+(?:\.\w+)+)/;

/** Finds the blocks of code in a document that begin with a comment that names their file. */
export function codeBlocks(text: string): Map<string, string> {
  return new Map(
    blocksOfCode(text).flatMap((code) => {
      const name = NAMED.exec(code)?.[1];
      return name === undefined ? [] : [[name, code] as const];
    }),
  );
}

/** The first lines of blocks of code that name no file, and so are neither compiled nor run. */
export function unnamedBlocks(text: string): string[] {
  return blocksOfCode(text)
    .filter((code) => !NAMED.test(code))
    .map((code) => code.split('\n', 1)[0]);
}

function blocksOfCode(text: string): string[] {
  return [...text.matchAll(BLOCK)].filter(([, language]) => !NO_CODE.includes(language)).map(([, , code]) => code);
}

/** What a block says that it prints: the comments behind its lines of `console.log`. */
export function promisedOutput(code: string): string[] {
  return [...code.matchAll(/^ *console\.log\(.*\) *; +\/\/ (.+)$/gm)].map(([, output]) => output);
}
