import { join } from 'node:path';
import ts from 'typescript';
import { type Entry, ROOT } from './entries.ts';

/** Something that an entry exports, under one name: a value, a type, or both. */
export interface Export {
  readonly name: string;
  readonly symbol: ts.Symbol;
}

/** Compiles the sources of entries, so that their symbols can be asked for. */
export function createProgram(entries: readonly Entry[]): ts.Program {
  const config = join(ROOT, 'packages/rpc/tsconfig.json');
  const parsed = ts.getParsedCommandLineOfConfigFile(
    config,
    { noEmit: true },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
  );
  const options = {
    ...parsed!.options,
    composite: false,
    emitDeclarationOnly: false,
    allowImportingTsExtensions: true,
  };
  return ts.createProgram(
    entries.map(({ source }) => source),
    options,
  );
}

/** Returns what a module exports, values before types, each in alphabetical order. */
export function exportsOf(program: ts.Program, { source }: Entry): Export[] {
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(source)!)!;
  return checker
    .getExportsOfModule(module)
    .map((symbol) => ({ name: symbol.name, symbol: resolved(checker, symbol), isValue: isValue(checker, symbol) }))
    .sort((a, b) => Number(b.isValue) - Number(a.isValue) || (a.name < b.name ? -1 : 1));
}

/** Whether an export is there at run time: a class that is exported as a type is not. */
function isValue(checker: ts.TypeChecker, symbol: ts.Symbol): boolean {
  const asType = symbol.declarations?.some(
    (each) => ts.isExportSpecifier(each) && ts.isTypeOnlyExportDeclaration(each),
  );
  return !asType && (resolved(checker, symbol).flags & ts.SymbolFlags.Value) !== 0;
}

/** Follows what was imported to where it is declared. */
export function resolved(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function fail(diagnostic: ts.Diagnostic): never {
  throw new Error(ts.flattenDiagnosticMessageText(diagnostic.messageText, '\n'));
}
