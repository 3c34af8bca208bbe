import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { jsonText } from '../../../src/render/json.ts';
import { validateSchema } from '../../support/json-schema.ts';
import { gallery, made } from './topology-of.ts';
import type { Schema } from '../../support/json-schema.ts';

const ROOT = join(import.meta.dirname, '../../..');
const schema = JSON.parse(readFileSync(join(ROOT, 'schema/topology.schema.json'), 'utf8')) as Schema;

describe('the schema of topologies', () => {
  test('is what the types say', () => {
    const text = execFileSync(process.execPath, [join(ROOT, 'scripts/trace-schema.mjs'), 'topology'], { encoding: 'utf8' });
    expect(schema).toEqual(JSON.parse(text));
  });

  test('refuses what is no topology', () => {
    expect(validateSchema(schema, { apiVersion: 'k8snet/v1', kind: 'Topology' })).not.toEqual([]);
  });

  test('takes every cluster of the gallery', { timeout: 120_000 }, () => {
    const names = readdirSync(join(ROOT, 'scenarios')).filter((name) => name.endsWith('.yaml'));
    const found = names.flatMap((name) =>
      validateSchema(schema, JSON.parse(jsonText(made(gallery(name.replace(/\.yaml$/, '')))))).map(
        (problem) => `${name} ${problem}`,
      ),
    );
    expect(found).toEqual([]);
  });
});
