/** The part of JSON Schema that the configuration is described with. */
export interface SchemaNode {
  type?: string | string[];
  title?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  properties?: Record<string, SchemaNode>;
  additionalProperties?: boolean | SchemaNode;
  required?: string[];
  items?: SchemaNode;
  minItems?: number;
  uniqueItems?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  pattern?: string;
  anyOf?: SchemaNode[];
  /** Ours: says in words what the rules of this node ask for. */
  hint?: string;
}

type Rules = Pick<SchemaNode, 'minimum' | 'maximum' | 'pattern' | 'hint' | 'minLength' | 'minItems'>;

/** A mapping with known keys; left out, it is filled with the defaults of its keys. */
export function section(title: string, description: string, properties: Record<string, SchemaNode>): SchemaNode {
  return { type: 'object', title, description, properties, additionalProperties: false, default: {} };
}

export function text(value: string, description: string, rules: Rules = {}): SchemaNode {
  return { type: 'string', description, default: value, ...rules };
}

export function optionalText(description: string, rules: Rules = {}): SchemaNode {
  return { type: ['string', 'null'], minLength: 1, description, default: null, ...rules };
}

export function choice(value: string, values: unknown[], description: string): SchemaNode {
  return { enum: values, description, default: value };
}

export function flag(value: boolean, description: string): SchemaNode {
  return { type: 'boolean', description, default: value };
}

/** A whole number, at least 1 unless the rules say otherwise. */
export function count(value: number, description: string, rules: Rules = {}): SchemaNode {
  return { type: 'integer', minimum: 1, description, default: value, ...rules };
}

export function optionalCount(description: string): SchemaNode {
  return { type: ['integer', 'null'], minimum: 1, description, default: null };
}

export function fraction(value: number, description: string): SchemaNode {
  return { type: 'number', minimum: 0, maximum: 1, description, default: value };
}

export function texts(value: string[], description: string, rules: Rules = {}): SchemaNode {
  return { type: 'array', items: { type: 'string', minLength: 1, ...rules }, description, default: value };
}

export function url(value: string, description: string): SchemaNode {
  return text(value, description, {
    pattern: '^https?://[^\\s]+$',
    hint: 'must be a URL that begins with http:// or https://',
  });
}
