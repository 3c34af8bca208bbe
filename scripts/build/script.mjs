// Makes scripts of the ES modules that the bundler splits a program into, since only a script can be started with compiled code.

const IMPORT = /\bimport(?: ([\w$]+) |\{([\w$ ,]*)\}|\*as ([\w$]+) )from"([\w.:/-]+)";/g;
const EXPORT = /\bexport\{([\w$ ,]*)\};\s*$/;

/**
 * The body of a function that does what a minified module does and returns what it exports; `load` gives the expression for what it
 * imports from a path. What is imported is read once, at the start: the bundler leaves no circles between the parts of a program.
 */
export function moduleBody(code, load) {
  const exported = EXPORT.exec(code);
  const body = (exported ? code.slice(0, exported.index) : code).replace(
    IMPORT,
    (_, whole, names, all, path) => `var ${whole ?? all ?? `{${pairs(names, 'from')}}`}=${load(path)};`,
  );
  return `${body}\nreturn{${pairs(exported?.[1] ?? '', 'to')}};`;
}

/** `a as b,c` as what stands in the braces of an object that is taken apart (`from`) or made (`to`). */
function pairs(names, direction) {
  return names.replace(/([\w$]+)(?: as ([\w$]+))?/g, (_, a, b) =>
    b === undefined ? a : direction === 'from' ? `${a}:${b}` : `${b}:${a}`,
  );
}
