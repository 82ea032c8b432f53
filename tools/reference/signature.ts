import ts from 'typescript';

/** Writes a declaration as a user has to know it: without bodies, values, and modifiers of no concern to them. */
export function signatureOf(declaration: ts.Declaration, checker: ts.TypeChecker): string {
  if (ts.isInterfaceDeclaration(declaration)) return `interface ${headOf(declaration)}`;
  if (ts.isClassDeclaration(declaration)) return `${modifiers(declaration)}class ${headOf(declaration)}`;
  if (ts.isTypeAliasDeclaration(declaration)) return asWritten(declaration).replace(/^export |;$/g, '');
  if (ts.isFunctionDeclaration(declaration)) return `function ${callOf(declaration, checker)}`;
  if (!ts.isVariableDeclaration(declaration)) return memberOf(declaration, checker);
  return `const ${declaration.name.getText()}: ${typeOf(declaration, checker)}`;
}

function memberOf(declaration: ts.Declaration, checker: ts.TypeChecker): string {
  if (ts.isConstructorDeclaration(declaration)) {
    return `new ${declaration.parent.name?.text}${parametersOf(declaration, checker)}`;
  }
  if (ts.isMethodSignature(declaration) || ts.isMethodDeclaration(declaration)) {
    return modifiers(declaration) + callOf(declaration, checker);
  }
  if (ts.isCallSignatureDeclaration(declaration)) return callOf(declaration, checker);
  if (ts.isGetAccessor(declaration) || ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration)) {
    return `${modifiers(declaration)}${nameOf(declaration)}: ${typeOf(declaration, checker)}`;
  }
  return onOneLine(declaration.getText());
}

function callOf(declaration: ts.SignatureDeclaration, checker: ts.TypeChecker): string {
  const returned = declaration.type ? onOneLine(declaration.type.getText()) : returnedBy(declaration, checker);
  return `${nameOf(declaration)}${typeParametersOf(declaration)}${parametersOf(declaration, checker)}: ${returned}`;
}

function returnedBy(declaration: ts.SignatureDeclaration, checker: ts.TypeChecker): string {
  return checker.typeToString(checker.getSignatureFromDeclaration(declaration)!.getReturnType());
}

function parametersOf({ parameters }: ts.SignatureDeclaration, checker: ts.TypeChecker): string {
  const written = parameters.map((parameter) => {
    const mayBeLeftOut = parameter.questionToken || parameter.initializer ? '?' : '';
    const name = ts.isIdentifier(parameter.name) ? parameter.name.text : 'options';
    return `${parameter.dotDotDotToken ? '...' : ''}${name}${mayBeLeftOut}: ${typeOf(parameter, checker)}`;
  });
  return `(${written.join(', ')})`;
}

function typeOf(declaration: ts.Declaration & { readonly type?: ts.TypeNode }, checker: ts.TypeChecker): string {
  if (declaration.type) return onOneLine(declaration.type.getText());
  return checker.typeToString(checker.getTypeAtLocation(declaration), declaration, ts.TypeFormatFlags.NoTruncation);
}

function nameOf(declaration: ts.Declaration): string {
  const { name, questionToken } = declaration as ts.PropertySignature;
  return name === undefined ? '' : `${name.getText()}${questionToken ? '?' : ''}`;
}

/** Writes what a declaration is called, and its type parameters. */
export function nameAndParameters(
  declaration: ts.InterfaceDeclaration | ts.ClassDeclaration | ts.TypeAliasDeclaration,
): string {
  return `${declaration.name!.text}${typeParametersOf(declaration)}`;
}

function typeParametersOf({ typeParameters }: { readonly typeParameters?: ts.NodeArray<ts.TypeParameterDeclaration> }) {
  return typeParameters ? `<${typeParameters.map((each) => onOneLine(each.getText())).join(', ')}>` : '';
}

/** The same, and what a class or an interface extends. */
function headOf(declaration: ts.InterfaceDeclaration | ts.ClassDeclaration): string {
  const bases = declaration.heritageClauses?.map((clause) => ` ${onOneLine(clause.getText())}`) ?? [];
  return nameAndParameters(declaration) + bases.join('');
}

const SHOWN = new Set([ts.SyntaxKind.StaticKeyword, ts.SyntaxKind.ProtectedKeyword, ts.SyntaxKind.AbstractKeyword]);

function modifiers(declaration: ts.Declaration): string {
  const all = ts.canHaveModifiers(declaration) ? (ts.getModifiers(declaration) ?? []) : [];
  return all
    .filter(({ kind }) => SHOWN.has(kind))
    .map((modifier) => `${modifier.getText()} `)
    .join('');
}

/** As it is written, with comments in it, but for those to the linter. */
export function asWritten(node: ts.Node): string {
  return node.getText().replace(/^ *\/\/ biome-ignore.*\n/gm, '');
}

function onOneLine(text: string): string {
  return text
    .replace(/\/\*\*?[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
