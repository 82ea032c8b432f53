import { GROUPS, type Tool } from './tools.ts';

/** Returns the list of tools, by group, with a line for each. */
export function listOf(tools: readonly Tool[]): string {
  const width = Math.max(...tools.map(({ name }) => name.length));
  const groups = Object.entries(GROUPS).map(([group, title]) => {
    const lines = tools
      .filter((tool) => tool.group === group)
      .map(({ name, does }) => `  ${name.padEnd(width)}  ${does}\n`);
    return `${title}\n${lines.join('')}`;
  });
  return `npm run tool -- <name> [options]\n\n${groups.join('\n')}`;
}
