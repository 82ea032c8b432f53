import { BUILD, runCommands } from './run-command.ts';
import type { Tool } from './tools.ts';

/** Returns what Node is given to run a tool with options. */
export function argumentsOf({ flags = [], program }: Tool, options: readonly string[] = []): string[] {
  return [...flags, ...program, ...options];
}

/** Runs a tool, after what it needs. Resolves with the code to exit with. */
export function runTool(tool: Tool, options: readonly string[]): Promise<number> {
  const { before, needsBuild = false, env } = tool;
  const steps = [
    ...(before ? [[process.execPath, ...before] as const] : []),
    ...(needsBuild ? [BUILD] : []),
    [process.execPath, ...argumentsOf(tool, options)] as const,
  ];
  return runCommands(steps, env);
}
