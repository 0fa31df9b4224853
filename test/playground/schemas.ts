import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';

interface OpenApi {
  paths: Record<string, Record<string, { responses: Record<string, Response> }>>;
  components: { schemas: Record<string, unknown>; responses: Record<string, Response> };
}

interface Response {
  $ref?: string;
  content?: Record<string, { schema: unknown }>;
}

/** Says what is wrong with an answer according to GitHub's own description; [] where nothing is. */
export type Judge = (method: string, template: string, status: number, answer: unknown) => string[];

/** Reads GitHub's published description once; schemas are translated and compiled as they are asked for. */
export function githubJudge(): Judge {
  const file = createRequire(import.meta.url).resolve('@octokit/openapi/generated/api.github.com.json');
  const { paths, components } = JSON.parse(readFileSync(file, 'utf8')) as OpenApi;
  const ajv = createAjv();
  const translate = translator(ajv, components.schemas);
  return (method, template, status, answer) => {
    const described = paths[template]?.[method.toLowerCase()]?.responses[status];
    if (!described) return [`${method} ${template} has no answer ${status}`];
    const name = described.$ref?.split('/').pop();
    const { content } = name === undefined ? described : (components.responses[name] ?? {});
    const schema = content?.['application/json']?.schema;
    if (!schema) return answer === undefined ? [] : ['an answer where there should be none'];
    const validate = ajv.compile(translate(schema) as object);
    if (validate(answer)) return [];
    return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? ''}`);
  };
}

function createAjv(): Ajv {
  const ajv = new Ajv({ strict: false, validateSchema: false, inlineRefs: false, logger: false });
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  ajv.addFormat('uri', (text: string) => URL.canParse(text));
  for (const other of ['email', 'int64', 'int32', 'repo.nwo', 'timestamp', 'uuid']) ajv.addFormat(other, true);
  return ajv;
}

/** OpenAPI 3.0 to JSON Schema: `nullable` becomes a choice, and a component is added when it is first referred to. */
function translator(ajv: Ajv, components: Record<string, unknown>): (schema: unknown) => unknown {
  const added = new Set<string>();
  const refer = (name: string) => {
    if (!added.has(name)) {
      added.add(name);
      ajv.addSchema(translate(components[name]) as object, `/${name}`);
    }
    return { $ref: `/${name}` };
  };
  const translate = (schema: unknown): unknown => {
    if (Array.isArray(schema)) return schema.map(translate);
    if (typeof schema !== 'object' || schema === null) return schema;
    const { nullable, example: _one, examples: _many, ...rest } = schema as Record<string, unknown>;
    if (typeof rest.$ref === 'string') return refer(rest.$ref.split('/').pop() ?? '');
    const plain = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, translate(value)]));
    return nullable === true ? { anyOf: [plain, { type: 'null' }] } : plain;
  };
  return translate;
}
