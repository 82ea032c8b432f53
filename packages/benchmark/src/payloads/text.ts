import { seededRandom } from '@lumenize/hosts/random';

const ENGLISH = (
  'the quick reader of a long text finds that words come again but sentences do not which is how people write when ' +
  'nobody tells them to stop and so a paragraph about sockets storage and objects goes on for quite some time'
).split(' ');

/** Words of many scripts, of two to four bytes a letter where they are not Latin. */
const MANY_SCRIPTS = (
  'größer Überraschung naïve façade żółć gęślą jaźń čeština ελληνικά γλώσσα русский текст українська 日本語 東京都 ' +
  '中文字符 한국어 العربية עברית हिन्दी ไทย 😀 🚀 and some ASCII too'
).split(' ');

/** Makes English-like text of `bytes` bytes. */
export function text(bytes: number): string {
  return written(ENGLISH, (length) => length <= bytes).slice(0, bytes);
}

/** Makes text of many scripts that is about `bytes` bytes of UTF-8. */
export function textOfManyScripts(bytes: number): string {
  const encoder = new TextEncoder();
  let size = 0;
  return written(MANY_SCRIPTS, (_, word) => {
    size += encoder.encode(word).byteLength + 1;
    return size < bytes;
  });
}

function written(words: readonly string[], goesOn: (length: number, word: string) => boolean): string {
  const random = seededRandom(4);
  const parts: string[] = [];
  let length = 0;
  let word: string;
  do {
    word = words[Math.floor(random() * words.length)];
    parts.push(word);
    length += word.length + 1;
  } while (goesOn(length, word));
  return parts.join(' ');
}
