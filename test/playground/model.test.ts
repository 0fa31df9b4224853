import { byTurns, type Step } from '../../src/playground/model/steps.js';
import { type CannedModel, type CannedModelOptions, startCannedModel } from '../../src/playground/model.js';

let model: CannedModel;
afterEach(() => model.close());

const start = async (options: CannedModelOptions) => (model = await startCannedModel(options));
const user = { role: 'user', content: 'go' };
const assistant = { role: 'assistant', content: 'a' };

async function post(path: string, body: unknown) {
  const response = await fetch(`${model.urls.ollama}${path}`, { method: 'POST', body: JSON.stringify(body) });
  return { status: response.status, body: JSON.parse(await response.text()) as Record<string, never> };
}

const complete = (messages: unknown[], more = {}) =>
  post('/v1/chat/completions', { model: 'canned', messages, ...more });

describe('the canned model', () => {
  test('says its steps one after the other, then refuses', async () => {
    await start({ script: [{ text: 'one' }, { text: 'two' }] });
    const texts = [await complete([user]), await complete([user])].map(({ body }) => body['choices']?.[0]?.['message']);
    expect(texts).toMatchObject([{ content: 'one' }, { content: 'two' }]);
    expect((await complete([user])).status).toBe(400);
  });

  test('gives the same answer to the same conversation, however often it is asked', async () => {
    const steps: Step[] = [{ toolCalls: [{ tool: 'a/b', args: {} }] }, { done: true }];
    await start({ script: byTurns(steps) });
    const tools = [{ type: 'function', function: { name: 'a__b' } }];
    const first = await complete([user], { tools });
    expect(await complete([user], { tools })).toEqual(first);
    const second = await complete([user, assistant, user], { tools });
    expect(JSON.stringify(second.body)).toContain('"name":"done"');
  });

  test('speaks the JSON protocol where no tools are offered', async () => {
    await start({
      script: [
        { text: 'why', toolCalls: [{ tool: 'a/b', args: { x: 1 } }] },
        { done: true, comment: 'fin' },
      ],
    });
    const texts = [await complete([user]), await complete([user])];
    expect(texts.map(({ body }) => body['choices']?.[0]?.['message']?.['content'])).toEqual([
      '{"comment":"why","command":{"tool":"a/b","args":{"x":1}}}',
      '{"done":true,"comment":"fin"}',
    ]);
  });

  const calling = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'c1', function: { name: 'a__b', arguments: '{}' } }],
  };
  test.each([
    ['a result without its call', [user, { role: 'tool', content: 'x', tool_call_id: 'c1' }]],
    ['a result for another call', [user, calling, { role: 'tool', content: 'x', tool_call_id: 'c2' }]],
    ['a call without its result', [user, calling, user]],
    ['no messages', []],
  ])('refuses %s, as OpenAI does', async (_, messages) => {
    await start({ script: [{ text: 'hi' }] });
    expect((await complete(messages)).status).toBe(400);
  });

  test('refuses what LM Studio refuses', async () => {
    await start({ script: [{ text: 'hi' }], dialect: 'lmstudio', strictRoles: true });
    expect(await complete([user], { response_format: { type: 'json_object' } })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('json_schema') },
    });
    expect((await complete([user, user])).status).toBe(400);
    expect((await complete([user])).status).toBe(200);
  });

  test('has a context that can be too small', async () => {
    await start({ script: [{ text: 'hi' }], contextLength: 100 });
    const long = [{ role: 'user', content: 'x'.repeat(1000) }];
    expect(await complete(long)).toMatchObject({ status: 400, body: { error: { code: 'context_length_exceeded' } } });
  });

  test('answers Ollama in one piece where it is asked to', async () => {
    await start({ script: [{ text: 'hi' }] });
    const { body } = await post('/api/chat', { model: 'canned', messages: [user], stream: false });
    expect(body).toMatchObject({ message: { content: 'hi' }, done: true, done_reason: 'stop' });
  });

  test('tells about itself as each of the servers does', async () => {
    await start({ script: [], contextLength: 4096, takesTools: false });
    expect((await post('/api/show', { model: 'canned' })).body).toMatchObject({
      capabilities: ['completion'],
      model_info: { 'canned.context_length': 4096 },
    });
    expect((await post('/api/v0/models', {})).body).toMatchObject({ data: [{ loaded_context_length: 4096 }] });
    expect((await post('/v1/models', {})).body).toMatchObject({ data: [{ id: 'canned' }] });
    expect((await post('/api/tags', {})).body).toMatchObject({ models: [{ name: 'canned' }] });
  });

  test('tells its hook of every request, before and after', async () => {
    await start({ script: [{ text: 'hi' }] });
    const phases: string[] = [];
    model.onRequest = (index, phase) => void phases.push(`${index} ${phase}`);
    await complete([user]);
    expect(phases).toEqual(['0 before', '0 after']);
  });

  test('closes at once, also while it owes an answer', async () => {
    await start({ script: [{ hang: true }] });
    const asked = complete([user]).catch(() => 'lost');
    await new Promise<void>((resolve) => (model.onRequest = () => resolve()));
    await model.close();
    expect(await asked).toBe('lost');
  });
});
