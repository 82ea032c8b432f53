import { connect, type TargetMark } from '@lumenize/rpc';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

interface Tree {
  value: number;
  children: Tree[];
  parent?: Tree;
  index: Map<string, Tree>;
}

interface Folder extends TargetMark {
  readonly name: string;
  parent(): Folder | undefined;
  folders(): Folder[];
  files(): Map<string, Document>;
}

interface Document extends TargetMark {
  folder(): Folder;
  content(): Json;
  write(content: Json): Promise<Document>;
}

interface Linked {
  name: string;
  open(): Linked;
  next: Linked | null;
}

interface Api {
  tree(): Tree;
  plant(tree: Tree): Tree;
  root(): Folder;
  linked(): Linked;
  visit(walk: (tree: Tree, folder: Folder) => Tree): Json;
}

/** Types that contain themselves, as data, with functions in it, and as targets that lead to each other. */
export async function useRecursive(): Promise<Json> {
  using api = connect<Api>('ws://localhost/rpc/api/main');
  const tree: Tree = await api.plant({ value: 1, children: [api.tree(), await api.tree()], index: new Map() });
  const index = await api.tree().children[0]!.children[1]!.parent.index;
  const deep: number = index.get('x')!.value;
  const files = await api.root().folders()[0]!.parent().files();
  const folder = files.get('x')!.folder();
  const name: string = await folder.parent().folders()[3]!.name;
  const linked = await api.linked();
  const opened: string | undefined = await linked.next?.next?.open().next.name;
  await files.get('x')!.write([name, { deep, opened: opened ?? null, content: [tree.value] }]);
  return api.visit((at, folder) => (folder === undefined ? at : at.children[0]!));
}
