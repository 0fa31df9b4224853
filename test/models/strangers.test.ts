import { readReply } from '../../src/agent/reply.js';
import type { ModelErrorKind } from '../../src/ports.js';
import { connect, HISTORY, READ, request, SCHEMA, server, start, TOOLS } from './rig.js';

const DONE = { choices: [{ message: { content: '{"done":true,"comment":"ok"}' } }] };

describe('servers that speak the protocol of OpenAI in their own way', () => {
  const refusals: [string, unknown, ModelErrorKind, RegExp][] = [
    ['an error object', { error: { message: 'tools are not supported' } }, 'no_tools', /400 tools are not supported/],
    ['a bare error', { error: 'tools are not supported' }, 'no_tools', /400 tools are not supported/],
    ['a message', { object: 'error', message: '"auto" tool choice requires a flag', code: 400 }, 'no_tools', /a flag/],
    ['a detail', { detail: "This model's maximum context length is 4096 tokens" }, 'overflow', /400 This model's/],
    ['a list', { detail: [{ loc: ['body'], msg: 'Extra inputs' }] }, 'rejected', /Extra inputs/],
    ['text', 'no such parameter', 'rejected', /400 no such parameter/],
    ['nothing', '', 'rejected', /400 Bad Request$/],
  ];
  test.each(refusals)('a refusal that is %s is understood', async (_, body, kind, message) => {
    const model = await start('openai', { script: [{ status: 400, body }] });
    await expect(model.ask(request({ tools: TOOLS }))).rejects.toMatchObject({
      kind,
      message: expect.stringMatching(message),
    });
  });

  test('a completion that is not called JSON is one all the same', async () => {
    const headers = { 'content-type': 'text/plain' };
    const model = await start('openai', { script: [{ status: 200, headers, body: DONE }] });
    expect(readReply(await model.ask(request({ schema: SCHEMA })))).toEqual({ kind: 'done', comment: 'ok' });
  });

  const overflows = [
    'Cannot truncate prompt with n_keep (14169) >= n_ctx (4096)',
    'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 13055>= n_ctx: 4096)',
    "Your input exceeds the model's context window",
    'prompt is too long: 210000 tokens > 200000 maximum',
    'Prompt too long: 5152 tokens exceeds max_seq_len 2048',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)',
    'Input length 131393 exceeds the maximum allowed input length of 131040 tokens.',
    "This model's maximum prompt length is 131072 but the request contains 140000 tokens",
    'input length and max_tokens exceed context limit: 170636 + 34048 > 200000',
  ];
  test.each(overflows)('"%s" is an overflow', async (error) => {
    const model = await start('lmstudio', { script: [{ status: 400, body: { error } }] });
    await expect(model.ask(request({ tools: TOOLS }))).rejects.toMatchObject({ kind: 'overflow' });
  });

  const nobodysFault: [string, number, unknown, ModelErrorKind][] = [
    ['a redirect', 308, '', 'unreachable'],
    ['a route that takes no POST', 405, { detail: 'Method Not Allowed' }, 'unreachable'],
    ['an empty account', 402, { error: { message: 'Insufficient Balance' } }, 'rate'],
  ];
  test.each(nobodysFault)('%s is not the fault of a task, and asked for once', async (_, status, body, kind) => {
    const model = await start('openai', { script: [{ status, body, headers: { location: '/elsewhere' } }] });
    await expect(model.ask(request())).rejects.toMatchObject({ kind, details: { status, calls: 1 } });
  });

  test('LM Studio without /v1 in its address is no overflow', async () => {
    const body = { error: 'Unexpected endpoint or method. (POST /chat/completions)' };
    const model = await start('lmstudio', { script: [{ status: 200, body }] });
    await expect(model.ask(request())).rejects.toMatchObject({
      kind: 'rejected',
      details: { status: 404 },
      message: expect.stringContaining('correct the address in llm.lmstudio'),
    });
  });
});

describe('tools with a description above 1024 characters', () => {
  const wordy = [{ ...TOOLS[0]!, description: '長'.repeat(3000) }];

  test('are offered with its beginning', async () => {
    const model = await start('openai', { script: [READ] });
    await model.ask(request({ tools: wordy }));
    const [offered] = server.requests[0]?.body['tools'] as { function: { description: string } }[];
    expect(offered?.function.description).toBe(`${'長'.repeat(1023)}…`);
  });

  test('are no overflow where a server has yet another limit', async () => {
    const error = {
      message: "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 512",
      param: 'tools[0].function.description',
      code: 'string_above_max_length',
    };
    const model = await start('openai', { script: [{ status: 400, body: { error } }] });
    await expect(model.ask(request({ tools: wordy }))).rejects.toMatchObject({ kind: 'rejected' });
  });
});

describe('tool calls', () => {
  const replied = (tool_calls: unknown[]) => ({ status: 200, body: { choices: [{ message: { tool_calls } }] } });

  test.each([undefined, null, '', ' ', 'null', {}])('arguments that are %j are none', async (given) => {
    const model = await start('openai', { script: [replied([{ function: { name: 'fs__read', arguments: given } }])] });
    const { toolCalls } = await model.ask(request({ tools: TOOLS }));
    expect(toolCalls.map(({ args }) => args)).toEqual([{}]);
  });

  test('calls of one reply with the same id are told apart', async () => {
    const call = (path: string) => ({ id: 'call_0', function: { name: 'fs__read', arguments: { path } } });
    const model = await start('openai', { script: [replied([call('a'), call('b')])] });
    const [first, second] = (await model.ask(request({ tools: TOOLS }))).toolCalls;
    expect([first?.id, second?.id]).toEqual(['call_0', expect.stringMatching(/^call_2_/)]);
  });

  test.each(['openai', 'lmstudio', 'ollama'] as const)(
    '%s is shown no arguments that are no JSON',
    async (provider) => {
      const call = { id: 'c1', tool: 'fs/read', args: null, raw: '{"path": "a' };
      const answered = [
        { role: 'assistant' as const, content: '', toolCalls: [call] },
        { role: 'tool' as const, content: 'cut short', toolCallId: 'c1' },
      ];
      const model = await start(provider, { script: [READ] });
      await model.ask(request({ tools: TOOLS, messages: [...HISTORY, ...answered] }));
      const seen = server.requests[0]?.messages.flatMap(({ toolCalls = [] }) => toolCalls);
      expect(seen).toMatchObject([{ tool: 'fs/read', args: { not_json: '{"path": "a' } }]);
    },
  );
});

describe('Ollama', () => {
  const message = { role: 'assistant', content: '{"done":true,"comment":"ok"}' };
  const whole = { message, done: true };
  test.each([
    ['does not stream', JSON.stringify(whole)],
    ['puts it on several lines', JSON.stringify(whole, null, 2)],
    ['leaves blank lines', `\n{"message":{"content":""},"done":false}\r\n\n${JSON.stringify(whole)}\n\n`],
  ])('that %s is understood', async (_, body) => {
    const model = await start('ollama', { script: [{ status: 200, body }] });
    const reply = await model.ask(request({ schema: SCHEMA }));
    expect(readReply(reply)).toEqual({ kind: 'done', comment: 'ok' });
    expect(reply.usage).toBeNull();
  });

  test('that has no /api/show is offered tools: the first request will tell', async () => {
    await start('ollama', { script: [] });
    const model = await connect('ollama', { url: `${server.urls.ollama}/proxy` });
    expect(await model.supportsTools(request().signal)).toBe(true);
  });
});
