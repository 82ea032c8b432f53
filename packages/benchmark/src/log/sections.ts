import type { FamilyPart } from '../families/run-families.ts';

/** Lines as a markdown list. */
export function bullets(lines: readonly string[]): string {
  return lines.map((line) => `- ${line}`).join('\n');
}

/** The lines of every family, which begin with its name where there is more than one family. */
export function named(parts: readonly FamilyPart[], linesOf: (part: FamilyPart) => readonly string[]): string[] {
  return parts.flatMap((part) =>
    linesOf(part).map((line) => (parts.length === 1 ? line : `**${part.family}**: ${line}`)),
  );
}

/** The texts of every family, each under its name and `mark` where there is more than one family; empty ones are left out. */
export function headed(parts: readonly FamilyPart[], mark: string, textOf: (part: FamilyPart) => string): string {
  return parts
    .flatMap((part) => {
      const text = textOf(part);
      if (text === '') return [];
      return [parts.length === 1 ? text : `${mark} ${part.family}\n\n${text}`];
    })
    .join('\n\n');
}
