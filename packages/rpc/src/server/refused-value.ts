/**
 * Returns the path to the first value in a list of arguments that an error says is not accepted; undefined if there is
 * none. The arguments were read in part. Inside of a mark, such as that of a Map, the path is that in its content.
 */
export function placeOfRefused(args: unknown, message: string): string | undefined {
  const [, name] = /^(?:class )?(\S+) is not accepted/.exec(message) ?? [];
  const seen = new Set<unknown>();
  const find = (value: unknown, path: string): string | undefined => {
    const isList = Array.isArray(value);
    // What was read may be of any type, and lead back to itself.
    if ((!isList && Object.prototype.toString.call(value) !== '[object Object]') || seen.has(value)) return undefined;
    seen.add(value);
    let fields = value as object;
    const [key, second] = isList ? [] : Object.keys(fields);
    if (second === undefined && key?.[0] === '$') {
      fields = (value as Record<string, object>)[key];
      if (typeof fields !== 'object' || fields === null) return undefined;
      if (Array.isArray(fields) && (key === `$${name}` || (key === '$class' && fields[0] === name))) return path;
    }
    for (const key in fields) {
      const step = path === '' ? key : Array.isArray(fields) ? `[${key}]` : `.${key}`;
      const place = find((fields as Record<string, unknown>)[key], path + step);
      if (place !== undefined) return place;
    }
    return undefined;
  };
  return name === undefined ? undefined : find(args, '');
}
