import ts from 'typescript';
import { type Docstring, docstringOf } from './docstring.ts';
import { signatureOf } from './signature.ts';

/** A member of an interface or class that users have to do with. */
export interface Member {
  readonly name: string;
  readonly declaration: ts.Declaration;
  readonly signature: string;
  readonly docstring: Docstring;
}

/**
 * Returns the members that a class or an interface declares itself, in its order: without those that are private or internal, and
 * overrides and constructors of which nothing is said.
 */
export function membersOf(declaration: ts.Node, checker: ts.TypeChecker): Member[] {
  if (!ts.isInterfaceDeclaration(declaration) && !ts.isClassDeclaration(declaration)) return [];
  return (declaration.members as ts.NodeArray<ts.ClassElement | ts.TypeElement>)
    .filter((member) => isOpen(member))
    .map((member) => ({
      name: member.name?.getText() ?? '',
      declaration: member,
      signature: signatureOf(member, checker),
      docstring: docstringOf([member]),
    }))
    .filter(({ docstring }) => !docstring.isInternal)
    .filter(({ declaration, docstring }) => docstring.text !== '' || !isBeside(declaration));
}

function isOpen(member: ts.ClassElement | ts.TypeElement): boolean {
  if (member.name && (ts.isPrivateIdentifier(member.name) || ts.isComputedPropertyName(member.name))) return false;
  if (ts.isClassStaticBlockDeclaration(member) || ts.isSetAccessor(member)) return false;
  // A mark of the type system's, which nobody is to read.
  if (member.name?.getText().startsWith('__')) return false;
  return (ts.getCombinedModifierFlags(member as ts.Declaration) & ts.ModifierFlags.Private) === 0;
}

/** Overrides, and constructors of what users are given and do not make. */
function isBeside(member: ts.Declaration): boolean {
  return ts.isConstructorDeclaration(member) || (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Override) !== 0;
}
