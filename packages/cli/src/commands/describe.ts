import { fetchDescription, type MemberDescription } from '@lumenize/inspect';
import Table from 'cli-table3';
import type { Command } from 'commander';
import { addTokenOption } from '../connect-options.ts';
import { reportFailure } from '../failure.ts';
import { withoutControls, withoutControlsInJson } from '../printable.ts';
import { readTargetUrl } from '../target-url.ts';
import { UsageError } from '../usage-error.ts';

interface DescribeOptions {
  readonly token?: string;
  readonly json?: boolean;
}

/** Adds `describe`, which lists the members that an object's target declares. */
export function addDescribe(program: Command): void {
  const command = program
    .command('describe')
    .description('list what can be called, of an object that describes itself')
    .argument('<url>', 'where the object is, such as ws://localhost:8787/rpc/counter/main')
    .option('--json', 'as JSON');
  addTokenOption(command).action(async (url: string, options: DescribeOptions) => {
    process.exitCode = await describe(url, options).catch(reportFailure);
  });
}

async function describe(url: string, { token, json }: DescribeOptions): Promise<number> {
  const description = await fetchDescription(readTargetUrl(url), { token });
  if (description === undefined) {
    throw new UsageError(
      `${url} does not say what it has. An object does whose target has\n\n  get rpcDescription() {\n    return describeTarget(this); // of @lumenize/inspect\n  }\n`,
    );
  }
  console.log(
    json
      ? withoutControlsInJson(JSON.stringify(description, undefined, 2))
      : withoutControls(`${description.name}\n${tableOf(description.members)}`),
  );
  return 0;
}

function tableOf(members: readonly MemberDescription[]): string {
  const table = new Table({ head: ['member', 'kind', 'declared'], style: { head: [], border: [] } });
  for (const { name, kind, options } of members)
    table.push([kind === 'method' ? `${name}()` : name, kind, options.join(', ')]);
  return table.toString();
}
