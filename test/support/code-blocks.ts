/** Finds the blocks of code in a document that begin with a comment that names their file. */
export function codeBlocks(text: string): Map<string, string> {
  const blocks = text.matchAll(/^```(?:ts|toml)\n((?:\/\/|#) ([\w-]+\.\w+).*\n[\s\S]*?)^```$/gm);
  return new Map([...blocks].map(([, code, name]) => [name, code]));
}

/** What a block says that it prints: the comments behind its lines of `console.log`. */
export function promisedOutput(code: string): string[] {
  return [...code.matchAll(/^ *console\.log\(.*\) *; +\/\/ (.+)$/gm)].map(([, output]) => output);
}
