/** Returns the relative links of a document, outside code. A link inside the document has an empty target. */
export function linksIn(text: string): { target: string; anchor: string }[] {
  return [...withoutCode(text).matchAll(/\]\(([^)\s#]*)(?:#([^)\s]*))?/g)]
    .map(([, target, anchor = '']) => ({ target: decodeURIComponent(target), anchor }))
    .filter(({ target }) => !/^[a-z]+:/.test(target));
}

/** Returns the documents of the package @lumenize/rpc that a text names as code. */
export function documentsNamedIn(text: string): string[] {
  return [...text.matchAll(/`(docs\/[^`]+\.md)`/g)].map(([, file]) => file);
}

/** Removes the blocks of code from a document, and code inside of lines too unless `inlineToo` is false. */
export function withoutCode(text: string, inlineToo = true): string {
  const withoutBlocks = text.replace(/^```[\s\S]*?^```$/gm, '');
  return inlineToo ? withoutBlocks.replace(/`[^`\n]*`/g, '') : withoutBlocks;
}
