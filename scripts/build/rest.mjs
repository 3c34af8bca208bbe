// Splits the program in two: what a first trace needs, and the rest, which is loaded when one of its functions is first called.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const REST = 'k8snet:rest';

/**
 * A plugin that puts a stand-in for every module of src that `ran` has not, seen from those that have: it exports the same functions,
 * which fetch the real ones from `file` on their first call. Only a module that exports nothing but functions can be stood in for.
 * The real ones are what the entry point REST exports.
 */
export function restLater({ root, ran, imports, file }) {
  const functions = new Map();
  for (const path of imports.keys()) {
    if (!path.startsWith('src/') || ran.has(path)) continue;
    const exported = onlyFunctions(readFileSync(join(root, path), 'utf8'));
    if (exported) functions.set(path, exported);
  }
  const first = reachable('src/cli/main.ts', imports, (path) => functions.has(path));
  const border = [...functions.keys()].filter((path) => [...first].some((from) => imports.get(from)?.includes(path)));
  const nameOf = (path, name) => `${name}_${border.indexOf(path)}`;

  return {
    name: 'rest-later',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^k8snet:rest$/ }, () => ({ path: REST, namespace: 'rest' }));
      onLoad({ filter: /.*/, namespace: 'rest' }, () => ({
        resolveDir: root,
        contents: border
          .map((path) => {
            const names = functions.get(path).map((name) => `${name} as ${nameOf(path, name)}`);
            return `export { ${names.join(', ')} } from './${path}';`;
          })
          .join('\n'),
      }));

      onResolve({ filter: /^\.{1,2}\// }, ({ path, importer, resolveDir, namespace }) => {
        if (namespace !== 'file' || !first.has(relative(root, importer))) return undefined;
        const target = relative(root, join(resolveDir, path));
        return functions.has(target) ? { path: target, namespace: 'stand-in' } : undefined;
      });
      onLoad({ filter: /.*/, namespace: 'stand-in' }, ({ path }) => ({
        resolveDir: dirname(join(root, path)),
        contents: [
          `import { rest } from 'k8snet:load-rest';`,
          ...functions.get(path).map((name) => `export const ${name} = (...args) => rest().${nameOf(path, name)}(...args);`),
        ].join('\n'),
      }));
      onResolve({ filter: /^k8snet:load-rest$/ }, ({ path }) => ({ path, namespace: 'load-rest' }));
      onLoad({ filter: /.*/, namespace: 'load-rest' }, () => ({
        contents: `let loaded;\nexport const rest = () => (loaded ??= require('./${file}'));`,
      }));
      onResolve({ filter: /./ }, ({ path, namespace }) => (namespace === 'load-rest' ? { path, external: true } : undefined));
    },
  };
}

const FUNCTION = /^export (?:async )?function\*? *(\w+)/gm;
const ARROW_FUNCTION = /^export const (\w+)(?:: [^=]+)? = (?:async )?(?:\w+|\([^()]*\))(?:: [^=]+)? =>/gm;
const NO_VALUE = /^export (?:type|interface)\b/gm;

/** The functions a module exports; null if it exports another value too, or in another way. */
function onlyFunctions(source) {
  const found = [FUNCTION, ARROW_FUNCTION].flatMap((form) => [...source.matchAll(form)].map(([, name]) => name));
  const exports = source.match(/^export\b/gm)?.length ?? 0;
  return exports === found.length + (source.match(NO_VALUE)?.length ?? 0) ? [...new Set(found)] : null;
}

/** What a module imports, and that imports in turn, up to those that `ends`. */
function reachable(from, imports, ends) {
  const found = new Set([from]);
  for (const path of found) {
    for (const next of imports.get(path) ?? []) if (!ends(next)) found.add(next);
  }
  return found;
}
