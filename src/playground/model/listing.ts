import type { Behaviour, HttpAnswer } from './dialect.js';

/** What the servers tell about themselves and their one model. */
export function listing(path: string, body: Record<string, unknown>, behaviour: Behaviour): HttpAnswer {
  const tell = LISTINGS[path];
  return tell ? tell(behaviour, body) : unknownRoute(path, behaviour);
}

/** LM Studio complains with status 200. */
function unknownRoute(path: string, { dialect }: Behaviour): HttpAnswer {
  return { status: dialect === 'lmstudio' ? 200 : 404, body: { error: `Unexpected endpoint or method. (${path})` } };
}

const LISTINGS: Record<string, (behaviour: Behaviour, body: Record<string, unknown>) => HttpAnswer> = {
  '/v1/models': ({ model }) =>
    ok({ object: 'list', data: [{ id: model, object: 'model', created: 0, owned_by: 'canned' }] }),
  '/api/v0/models': (behaviour) => ok({ object: 'list', data: [lmStudioModel(behaviour)] }),
  '/api/version': () => ok({ version: '0.12.0' }),
  '/api/tags': ({ model }) =>
    ok({ models: [{ name: model, model, size: 0, digest: '', details: { family: 'canned' } }] }),
  '/api/show': (behaviour, body) => show(behaviour, body),
};

function ok(body: unknown): HttpAnswer {
  return { status: 200, body };
}

function lmStudioModel({ model, contextLength }: Behaviour) {
  return {
    id: model,
    object: 'model',
    type: 'llm',
    state: 'loaded',
    max_context_length: contextLength,
    loaded_context_length: contextLength,
  };
}

function show({ model, contextLength, takesTools }: Behaviour, body: Record<string, unknown>): HttpAnswer {
  if (body['model'] !== model) return { status: 404, body: { error: `model '${String(body['model'])}' not found` } };
  return ok({
    template: '',
    details: { family: 'canned' },
    model_info: { 'general.architecture': 'canned', 'canned.context_length': contextLength },
    capabilities: takesTools ? ['completion', 'tools'] : ['completion'],
  });
}
