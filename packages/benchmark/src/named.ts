/** Returns what finds one of `all` by its name, and throws where none is called that. */
export function finderOf<Named extends { readonly name: string }>(what: string, all: readonly Named[]) {
  return (name: string): Named => {
    const found = all.find((each) => each.name === name);
    if (!found) throw new Error(`no ${what} is called ${name}`);
    return found;
  };
}
