import { bundleForBrowser, gzipBytes } from '@lumenize/hosts/browser-bundle';
const b = async (n: string, code: string) => { const r = await bundleForBrowser(code, ['@lumenize/source']); console.log(n, gzipBytes(r), r.length); };
const M = '@lumenize/structured-clone/messages';
await b('text', `export { stringify, parse } from '@lumenize/structured-clone'`);
await b('message all', `export { encode, decode } from '${M}'`);
for (const [n, rows, extra] of [['core', '', ''], ['common', 'common', ''], ['common+web', 'common, web', ''], ['common+locate', 'common', ', locate: located']]) await b(n, `import { Reviver, readTree, textOf, common, web, located, createTypes, fromMessage, toMessage, checkUsed } from '${M}'; const types = createTypes(${rows}); export const s = (v, o) => { const tail = []; return toMessage(textOf(v, { types, tail${extra} }, o), tail); }; export const p = (m, o) => { const { text, tail } = fromMessage(m); const r = new Reviver({ types, tail }, o); const v = r.value(readTree(text, r)); checkUsed(r); return v; };`);
