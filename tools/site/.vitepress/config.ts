import { defineConfig } from 'vitepress';
import { BASE, readPages } from '../pages.ts';

const { pages } = readPages();

/** Lists the pages whose paths match, in the order of their names. */
const items = (wanted: RegExp) => pages.filter(({ path }) => wanted.test(path)).map(({ path }) => item(path));

/** Returns the entry of a page in a menu: its title, or a shorter text. */
function item(path: string, text = pages.find((page) => page.path === path)!.title) {
  return { text, link: `/${path.replace(/(?:index)?\.md$/, '')}` };
}

/** Returns the text of a page that lists others in tables. */
const indexOf = (folder: string) => pages.find(({ path }) => path === `${folder}/index.md`)!.text;

/** Lists the pages whose links begin the rows of tables, in their order. */
const listed = (text: string) =>
  [...text.matchAll(/^\| \[([^\]]+)\]\((\/[^)]+)\.md\)/gm)].map(([, text, link]) => ({
    text: text.replaceAll('`', ''),
    link,
  }));

/** Lists the guides under the headings of their index, which names all of them. */
const guides = indexOf('guides')
  .split(/^## /m)
  .slice(1)
  .map((part) => ({ text: part.split('\n', 1)[0], items: listed(part) }));

const compatibility = {
  text: 'Compatibility',
  items: [item('contract.md'), item('values.md'), item('comparison.md')],
};
const reference = [
  { text: 'API reference', items: [item('reference/index.md', 'Overview'), ...listed(indexOf('reference'))] },
  compatibility,
];
const measurements = {
  text: 'Measurements',
  items: [
    item('benchmarks.md'),
    item('measurements/files.md', 'Latest results'),
    item('measurements/index.md', 'Log of all runs'),
  ],
};
const project = { text: 'Project', items: [item('contributing.md'), item('changelog.md'), ...items(/^packages\//)] };
/** Lists the pages about the inside, for maintainers. */
const internals = [
  {
    text: 'Internals',
    items: [item('internals/index.md', 'Overview'), ...listed(indexOf('internals'))],
  },
  { text: 'Decisions', items: items(/^decisions\//) },
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
    search: {
      provider: 'local',
      options: {
        // Tables of figures name everything, and would be found before the pages that explain it.
        _render(text, env, md) {
          const html = md.render(text, env);
          return env.relativePath.startsWith('measurements/') ? '' : html;
        },
        // Guides come before what explains the inside, and before their own limits, which are short and name much.
        miniSearch: {
          searchOptions: { boostDocument: (page: string) => (/\/guides\/(?!.*#limits$)/.test(page) ? 3 : 1) },
        },
      },
    },
    outline: { level: [2, 3] },
    nav: [
      { text: 'Guides', link: '/guides/getting-started', activeMatch: '^/guides/' },
      { text: 'Reference', link: '/reference/', activeMatch: '^/(?:reference/|contract|values|comparison)' },
      { text: 'Measurements', link: '/measurements/files', activeMatch: '^/(?:measurements/|benchmarks)' },
      { text: 'Playground', link: '/../', target: '_self' },
      { text: 'Internals', link: '/internals/', activeMatch: '^/(?:internals|decisions)/' },
    ],
    sidebar: {
      '/guides/': guides,
      '/reference/': reference,
      '/internals/': internals,
      '/decisions/': internals,
      '/': [
        {
          text: 'Getting started',
          items: [
            { text: 'Getting started', link: '/guides/getting-started' },
            item('overview.md', 'Overview'),
            item('guides/index.md', 'All guides'),
            item('reference/index.md'),
            item('glossary.md'),
          ],
        },
        compatibility,
        measurements,
        project,
        { text: 'Internals', link: '/internals/' },
      ],
    },
  },
});
