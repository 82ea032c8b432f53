import ts from 'typescript';

/** What a docstring says. */
export interface Docstring {
  readonly text: string;
  readonly byDefault: string | undefined;
  readonly throws: readonly string[];
  readonly isInternal: boolean;
}

/** Reads the docstring of declarations, such as those of all overloads: the first that there is. */
export function docstringOf(declarations: readonly ts.Node[]): Docstring {
  const blocks = declarations.flatMap((declaration) => ts.getJSDocCommentsAndTags(declaration).filter(ts.isJSDoc));
  const block = blocks.at(0);
  const tags = block?.tags ?? [];
  const said = (name: string) => tags.filter(({ tagName }) => tagName.text === name).map(tagText);
  return {
    text: textOf(block?.comment),
    byDefault: said('default').at(0),
    throws: said('throws'),
    isInternal: tags.some(({ tagName }) => tagName.text === 'internal'),
  };
}

function tagText(tag: ts.JSDocTag): string {
  const text = textOf(tag.comment);
  if (!ts.isJSDocThrowsTag(tag) || tag.typeExpression === undefined) return text;
  return `\`${tag.typeExpression.type.getText()}\` ${text}`.trim();
}

function textOf(comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string {
  return (ts.getTextOfJSDocComment(comment) ?? '').trim();
}
