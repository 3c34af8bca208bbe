import { describe, expect, test } from 'vitest';

const { moduleBody } = (await import(new URL('../../../scripts/build/script.mjs', import.meta.url).href)) as {
  moduleBody(code: string, load: (path: string) => string): string;
};

/** Runs a module's body as the bundle does, with `imported` for each path. */
function evaluate(code: string, imported: Readonly<Record<string, unknown>> = {}): unknown {
  const body = moduleBody(code, (path) => `imported[${JSON.stringify(path)}]`);
  return new Function('imported', body)(imported);
}

describe('a module as the body of a function', () => {
  test.each([
    ['names', 'import{a,b as c}from"./x.js";var d=a+c;export{d,c as e};', { d: 3, e: 2 }],
    ['the whole', 'import x from"./x.js";var a=x.a;export{a};', { a: 1 }],
    ['all of it', 'import*as x from"./x.js";var a=x.b;export{a};', { a: 2 }],
    ['what is imported further down', 'var z=1;import{a as $}from"./x.js";var y=z+$;export{y as default};', { default: 2 }],
    ['nothing', 'var text="import{a}from nowhere";export{text};', { text: 'import{a}from nowhere' }],
    ['no exports', 'var a=1;', {}],
  ])('imports %s', (_what, code, exported) => {
    expect(evaluate(code, { './x.js': { a: 1, b: 2 } })).toEqual(exported);
  });
});
