export interface SchemaError {
  instancePath: string;
  schemaPath: string;
  keyword: string;
  params: Record<string, unknown>;
  message?: string;
}

/** Fills the defaults into `data` and says whether it fits `configSchema`; what does not is left in `errors`. */
declare const validate: { (data: unknown): boolean; errors?: SchemaError[] | null };
export default validate;
