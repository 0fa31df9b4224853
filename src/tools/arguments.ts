import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';

/** Null: they fit. Otherwise the complaint. */
export type ArgumentCheck = (args: Record<string, unknown>) => string | null;

const MOST_COMPLAINTS = 5;

/** Checks arguments against a tool's own schema; one that is itself broken lets everything through to the server. */
export function argumentCheck(inputSchema: Record<string, unknown>): ArgumentCheck {
  try {
    const validate = new Ajv2020(LENIENT).compile(inputSchema);
    return (args) => (validate(args) ? null : complaintOf(validate.errors ?? []));
  } catch {
    return () => null;
  }
}

/** Schemas come from strangers: unknown keywords and formats are no reason to refuse a call. */
const LENIENT = {
  strict: false,
  validateFormats: false,
  validateSchema: false,
  meta: false,
  allErrors: true,
  logger: false,
} as const;

function complaintOf(errors: ErrorObject[]): string {
  const complaints = errors.slice(0, MOST_COMPLAINTS).map(complaint);
  const more = errors.length - complaints.length;
  return [...complaints, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function complaint({ instancePath, message, keyword, params }: ErrorObject): string {
  const where = instancePath === '' ? 'args' : `args${instancePath.replaceAll('/', '.')}`;
  return `${where} ${message ?? 'does not fit'}${detailOf(keyword, params)}`;
}

function detailOf(keyword: string, params: Record<string, unknown>): string {
  if (keyword === 'additionalProperties') return `: ${String(params['additionalProperty'])}`;
  if (keyword === 'enum') return `: ${JSON.stringify(params['allowedValues'])}`;
  return '';
}
