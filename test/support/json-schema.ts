/** The keywords of JSON Schema (draft 2020-12) that our schemas use; any other is an error, so that none is silently passed over. */
interface Schema {
  readonly $schema?: string;
  readonly $id?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

const KEYWORDS = new Set([
  '$schema',
  '$id',
  '$ref',
  '$defs',
  'title',
  'description',
  'type',
  'enum',
  'anyOf',
  'properties',
  'additionalProperties',
  'required',
  'items',
  'pattern',
  'minimum',
  'maximum',
]);

export type { Schema };

/** What is wrong with a value, as "path: problem"; empty when it is valid. */
export function validateSchema(root: Schema, value: unknown): readonly string[] {
  return validate(root, root, value, '$');
}

function validate(root: Schema, schema: Schema, value: unknown, path: string): readonly string[] {
  for (const keyword of Object.keys(schema)) if (!KEYWORDS.has(keyword)) throw new Error(`Keyword ${keyword} is not supported`);
  if (schema.$ref !== undefined) {
    const target = root.$defs?.[schema.$ref.replace('#/$defs/', '')];
    if (target === undefined) throw new Error(`${schema.$ref} is not defined`);
    return validate(root, target, value, path);
  }
  const problems: string[] = [];
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return [`${path}: not ${types.join(' or ')}`];
  if (schema.enum !== undefined && !schema.enum.includes(value)) problems.push(`${path}: not one of ${schema.enum.join(', ')}`);
  if (schema.anyOf !== undefined) {
    const alternatives = schema.anyOf.map((alternative) => validate(root, alternative, value, path));
    if (!alternatives.some((found) => found.length === 0)) problems.push(...alternatives.flat());
  }
  if (typeof value === 'string' && schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    problems.push(`${path}: does not match ${schema.pattern}`);
  }
  if (typeof value === 'number' && (value < (schema.minimum ?? -Infinity) || value > (schema.maximum ?? Infinity)))
    problems.push(`${path}: out of range`);
  if (Array.isArray(value) && schema.items !== undefined) {
    for (const [i, item] of value.entries()) problems.push(...validate(root, schema.items, item, `${path}[${i}]`));
  }
  if (isObject(value)) problems.push(...validateObject(root, schema, value, path));
  return problems;
}

function validateObject(root: Schema, schema: Schema, value: Readonly<Record<string, unknown>>, path: string): readonly string[] {
  const problems = (schema.required ?? []).filter((key) => !Object.hasOwn(value, key)).map((key) => `${path}: ${key} is missing`);
  for (const [key, item] of Object.entries(value)) {
    const own = schema.properties?.[key] ?? schema.additionalProperties;
    if (own === false) problems.push(`${path}: unknown key ${key}`);
    else if (own !== undefined && own !== true) problems.push(...validate(root, own, item, `${path}.${key}`));
  }
  return problems;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}
