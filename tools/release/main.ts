// `npm run release -- --dry` tries a release out. The workflow release.yml runs the other commands.
import { BUILD, runCommands } from '../commands/run-command.ts';

const node = (...args: string[]) => [process.execPath, ...args] as const;
const CHANGESET = 'node_modules/@changesets/cli/bin.js';

const COMMANDS = {
  '--dry': [BUILD, node('--conditions=@lumenize/source', 'test/packed/release-dry.ts')],
  version: [
    node(CHANGESET, 'version'),
    node('tools/release/update-starter.ts'),
    ['npm', 'install', '--package-lock-only', '--ignore-scripts'],
  ],
  publish: [BUILD, node('tools/release/write-manifests.ts'), node(CHANGESET, 'publish')],
} as const;

const USAGE = `npm run release -- <command>

  --dry     packs what would be published, installs it in a new project with an empty cache of npm, and follows
            docs/guides/getting-started.md there. Publishes nothing
  version   turns changesets into versions and changelogs; the workflow release.yml runs it
  publish   publishes the packages; works only in that workflow
`;

const [command] = process.argv.slice(2);
if (command !== undefined && command in COMMANDS) {
  process.exitCode = await runCommands(COMMANDS[command as keyof typeof COMMANDS]);
} else {
  process.stderr.write(USAGE);
  process.exitCode = 1;
}
