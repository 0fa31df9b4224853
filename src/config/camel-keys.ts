type Snake<Text extends string> = Text extends `${infer Head}${infer Rest}`
  ? Head extends Lowercase<Head>
    ? `${Head}${Snake<Rest>}`
    : `_${Lowercase<Head>}${Snake<Rest>}`
  : '';

/** The same shape with its keys in snake_case, as it stands in the YAML. */
export type SnakeKeys<Shape> = Shape extends readonly unknown[]
  ? Shape
  : Shape extends object
    ? { [Key in keyof Shape as Key extends string ? Snake<Key> : Key]: SnakeKeys<Shape[Key]> }
    : Shape;

/** snake_case in YAML, camelCase in code: this is where the one becomes the other. Lists are taken as they are. */
export function camelKeys<Shape>(value: SnakeKeys<Shape>): Shape {
  return camel(value) as Shape;
}

function camel(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [camelCase(key), camel(item)]));
}

function camelCase(key: string): string {
  return key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
