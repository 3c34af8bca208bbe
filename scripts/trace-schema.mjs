// Prints the JSON Schema of k8snet's documents, made from the types of src/trace and their comments: npm run schema
// Usage: node scripts/trace-schema.mjs [trace|topology]
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const SCHEMAS = {
  trace: {
    title: 'k8snet documents',
    description: 'What k8snet prints with -o json: traces, check reports, comparisons of rules, explanations, lab reports.',
    documents: ['Trace', 'TraceList', 'CheckReport', 'RulesDiff', 'Explanation', 'LabReport'],
  },
  topology: {
    title: 'k8snet topology',
    description: 'What `k8snet topology -o json` prints: namespaces, devices, routes, hooks and the network between the nodes.',
    documents: ['Topology'],
  },
};

const { title, description, documents } = SCHEMAS[process.argv[2] ?? 'trace'];

/** TypeScript has one type for numbers; these are shares, all others are whole. */
const FRACTIONS = new Set(['probability']);

const source = (path) => fileURLToPath(new URL(`../src/${path}`, import.meta.url));
const files = readdirSync(source('trace'))
  .filter((name) => name !== 'index.ts')
  .map((name) => source(`trace/${name}`));
const statements = files.flatMap(
  (file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true).statements,
);

const types = new Map(
  statements.filter((s) => ts.isInterfaceDeclaration(s) || ts.isTypeAliasDeclaration(s)).map((s) => [s.name.text, s]),
);
const constants = new Map(
  statements
    .filter(ts.isVariableStatement)
    .flatMap((s) => s.declarationList.declarations.map((d) => [d.name.text, d.initializer])),
);

function described(node, schema) {
  const text = ts
    .getJSDocCommentsAndTags(node)
    .map(({ comment }) => (typeof comment === 'string' ? comment : ''))
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' || schema.$ref ? schema : { description: text, ...schema };
}

/** The strings of `const NAMES = [...] as const`, the one of `const NAME = '...'`. */
function valuesOf(name) {
  const written = constants.get(name);
  const value = ts.isAsExpression(written) ? written.expression : written;
  return ts.isArrayLiteralExpression(value) ? value.elements.map(({ text }) => text) : [value.text];
}

/** $defs under construction, in the order in which they are first named. */
const definitions = {};

function reference(name) {
  if (!(name in definitions)) {
    definitions[name] = null;
    definitions[name] = definitionOf(name);
  }
  return { $ref: `#/$defs/${name}` };
}

function definitionOf(name) {
  const declared = types.get(name);
  if (declared === undefined) throw new Error(`src/trace has no type ${name}`);
  if (name === 'TraceEvent') return traceEvent(declared);
  return described(declared, ts.isInterfaceDeclaration(declared) ? objectOf(membersOf(declared)) : schemaOf(declared.type));
}

/** `KernelEvent & { layer }`: every kind of event with one field more. */
function traceEvent(declared) {
  const [events, more] = declared.type.types;
  const names = types.get(events.typeName.text).type.types.map((type) => type.typeName.text);
  for (const name of names) {
    definitions[name] = null;
    definitions[name] = described(types.get(name), objectOf([...membersOf(types.get(name)), ...more.members]));
  }
  return described(declared, { anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })) });
}

function membersOf(declared) {
  const inherited = (declared.heritageClauses ?? []).flatMap(({ types: bases }) =>
    bases.map(({ expression }) => types.get(expression.text)),
  );
  return [...declared.members, ...inherited.flatMap(membersOf)];
}

function objectOf(members) {
  return {
    type: 'object',
    properties: Object.fromEntries(
      members.map((member) => [member.name.text, described(member, schemaOf(member.type, member.name.text))]),
    ),
    additionalProperties: false,
    required: members.filter((member) => !member.questionToken).map((member) => member.name.text),
  };
}

/** @param key the property that has the type, which tells whole numbers */
function schemaOf(type, key = '') {
  switch (type.kind) {
    case ts.SyntaxKind.StringKeyword:
      return { type: 'string' };
    case ts.SyntaxKind.BooleanKeyword:
      return { type: 'boolean' };
    case ts.SyntaxKind.NumberKeyword:
      return { type: FRACTIONS.has(key) ? 'number' : 'integer' };
    case ts.SyntaxKind.TypeOperator:
      return schemaOf(type.type, key);
    case ts.SyntaxKind.ArrayType:
      return { type: 'array', items: schemaOf(type.elementType, key) };
    case ts.SyntaxKind.TypeLiteral:
      return objectOf(type.members);
    case ts.SyntaxKind.LiteralType:
      return literal(type.literal);
    case ts.SyntaxKind.UnionType:
      return union(type.types.map((member) => schemaOf(member, key)));
    case ts.SyntaxKind.TypeQuery:
      return { enum: valuesOf(type.exprName.text) };
    case ts.SyntaxKind.IndexedAccessType:
      return { enum: valuesOf(type.objectType.type.exprName.text) };
    case ts.SyntaxKind.TypeReference:
      return named(type, key);
    default:
      throw new Error(`No schema for ${type.getText()}`);
  }
}

function named({ typeName, typeArguments }, key) {
  switch (typeName.text) {
    case 'Readonly':
      return schemaOf(typeArguments[0], key);
    case 'Record':
      return { type: 'object', additionalProperties: schemaOf(typeArguments[1], key) };
    default:
      return reference(typeName.text);
  }
}

function literal(value) {
  switch (value.kind) {
    case ts.SyntaxKind.NullKeyword:
      return { type: 'null' };
    case ts.SyntaxKind.TrueKeyword:
      return { enum: [true] };
    case ts.SyntaxKind.NumericLiteral:
      return { enum: [Number(value.text)] };
    default:
      return { enum: [value.text] };
  }
}

function union(members) {
  if (members.every((member) => member.enum)) return { enum: members.flatMap((member) => member.enum) };
  const plain = members.every((member) => typeof member.type === 'string' && Object.keys(member).length === 1);
  return plain ? { type: members.map((member) => member.type) } : { anyOf: members };
}

for (const name of documents) reference(name);

const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title,
  description,
  anyOf: documents.map((name) => ({ $ref: `#/$defs/${name}` })),
  $defs: definitions,
};

console.log(JSON.stringify(schema, null, 2));
