import { defineConfig } from 'vitepress';
import { BASE, type Page, readPages } from '../pages.ts';

const { pages } = readPages();

/** Lists pages of a folder, or with these names, in their order. */
const items = (wanted: RegExp) => pages.filter(({ path }) => wanted.test(path)).map(item);
const item = ({ path, title }: Page) => ({ text: title, link: `/${path.replace(/(?:index)?\.md$/, '')}` });

/** The guides by the headings of their index, which names all of them. */
function guides() {
  const index = pages.find(({ path }) => path === 'guides/index.md')!;
  return index.text
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      text: part.split('\n', 1)[0],
      items: [...part.matchAll(/^\| \[([^\]]+)\]\((\/guides\/[^)]+)\.md\)/gm)].map(([, text, link]) => ({
        text,
        link,
      })),
    }));
}

const decisions = items(/^decisions\//);
const about = [
  { text: 'Protocol', items: [...items(/^protocol\.md/), ...items(/^(?:protocol-|codec-format)/)] },
  {
    text: 'What holds',
    items: items(/^(?:contract|values|runtimes|comparison|chaos|random-programs|planted-defects)\.md/),
  },
  { text: 'Speed', items: items(/^(?:benchmarks|profile|measurements\/)/) },
  {
    text: 'Inside',
    items: [
      ...items(/^(?:a-call|contributing|changelog|simulated-platform|packages\/)/),
      { ...decisions[0], text: 'Decisions' },
    ],
  },
];

export default defineConfig({
  title: 'Lumenize RPC',
  description: 'Call Cloudflare Durable Objects as if they were local objects.',
  base: BASE,
  head: [['link', { rel: 'icon', href: '/icon.svg' }]],
  srcDir: 'dist/pages',
  cacheDir: 'dist/cache',
  cleanUrls: true,
  ignoreDeadLinks: 'localhostLinks',
  // Else braces in text would be attributes.
  markdown: {
    attrs: { disable: true },
    // As GitHub names headings, to which the links of the documents lead.
    anchor: {
      slugify: (heading) =>
        heading
          .trim()
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .replace(/\s/g, '-'),
    },
    languageAlias: { hex: 'ini' },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config({ core }) {
      // A heading without text is none, to who listens to a page.
      core.ruler.push('empty-headings', ({ tokens }) => {
        for (const [at, token] of tokens.entries()) {
          if (token.type !== 'th_open' || tokens[at + 1].content !== '') continue;
          token.tag = tokens[at + 2].tag = 'td';
        }
      });
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Guides', link: '/guides/getting-started' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Protocol', link: '/protocol' },
      { text: 'Measurements', link: '/measurements/files' },
      { text: 'Playground', link: '/../', target: '_self' },
    ],
    sidebar: {
      '/guides/': guides(),
      '/reference/': [{ text: 'Reference', items: items(/^reference\//) }],
      '/decisions/': [{ text: 'Decisions', items: decisions }],
      '/': [
        {
          text: 'Begin',
          items: [
            { text: 'Getting started', link: '/guides/getting-started' },
            { text: 'Overview', link: '/overview' },
            { text: 'All guides', link: '/guides/' },
          ],
        },
        ...about,
      ],
    },
  },
});
