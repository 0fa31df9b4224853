import type { ErrorObject } from 'ajv';

export interface Unreadable {
  kind: 'unreadable';
  /** To be sent to the model as it is: what was wrong, and what to send instead. */
  complaint: string;
  reason: 'empty' | 'cut' | 'prose' | 'comment_only' | 'invalid';
}

const FORMS =
  'Send exactly one JSON object and nothing else: ' +
  '{"comment": "why", "command": {"tool": "server/tool", "args": {}}} to use a tool, or ' +
  '{"done": true, "comment": "what was achieved"} when the task is finished. A native tool call is fine, too.';

const SHAPE = 'Send exactly one JSON object of the shape that was asked for, and nothing else.';

/** Every way in which a reply can fail to be understood, in the words that the model is told. */
export const unreadable = {
  empty: () => complain('empty', `Your reply was empty. ${FORMS}`),
  cut: () =>
    complain(
      'cut',
      'Your reply was cut short: it hit the length limit, or it holds an object that never closes (a missing brace, ' +
        'or a quote inside a string that is not escaped). Nothing of it was carried out. Send it again, complete and ' +
        'shorter; split long content over several calls.',
    ),
  prose: () => complain('prose', `Your reply holds neither a tool call nor a JSON object. Nothing was done. ${FORMS}`),
  commentOnly: () =>
    complain('comment_only', `Your reply holds a comment but neither "command" nor "done": true. ${FORMS}`),
  neither: () => complain('invalid', `The JSON in your reply has neither "command" nor "done": true. ${FORMS}`),
  invalid: (errors: ErrorObject[]) => complain('invalid', `Your reply does not fit: ${explained(errors)}. ${FORMS}`),
  emptyShape: () => complain('empty', `Your reply was empty. ${SHAPE}`),
  noShape: () => complain('prose', `Your reply holds no JSON object. ${SHAPE}`),
  misshapen: (errors: ErrorObject[] | null | undefined) =>
    complain('invalid', `Your reply does not fit: ${explained(errors ?? [])}. ${SHAPE}`),
};

function complain(reason: Unreadable['reason'], complaint: string): Unreadable {
  return { kind: 'unreadable', reason, complaint };
}

function explained(errors: ErrorObject[]): string {
  const lines = errors.map(({ instancePath, message, params }) => {
    const place = instancePath.slice(1).replaceAll('/', '.') || 'the object';
    const allowed = 'allowedValues' in params ? ` (${JSON.stringify(params['allowedValues'])})` : '';
    return `${place} ${message ?? 'is wrong'}${allowed}`;
  });
  return [...new Set(lines)].join('; ') || 'it is no object';
}
