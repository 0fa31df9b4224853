import { readReply } from '../../src/agent/reply.js';
import { REPLY_SCHEMA } from '../../src/agent/reply-schema.js';
import type { Step } from '../../src/playground/model/steps.js';
import type { AskRequest, ChatMessage } from '../../src/ports.js';
import { clock, connect, HISTORY, PROVIDERS, READ, request, SCHEMA, server, start, TOOLS } from '../models/rig.js';

describe.each(PROVIDERS)('a model behind %s', (provider) => {
  describe.each([
    ['native tools', { tools: TOOLS }],
    ['the JSON protocol', { schema: SCHEMA }],
  ])('with %s', (protocol, offer: Partial<AskRequest>) => {
    test('calls a tool', async () => {
      const model = await start(provider, { script: [READ] });
      const reply = await model.ask(request(offer));
      expect(readReply(reply)).toMatchObject({
        kind: 'act',
        comment: 'I look',
        calls: [{ tool: 'fs/read', args: { path: 'a.txt' } }],
      });
      expect(reply.calls).toBe(1);
    });

    test('says that it is done', async () => {
      const model = await start(provider, { script: [{ done: true, comment: '完了しました' }] });
      expect(readReply(await model.ask(request(offer)))).toEqual({ kind: 'done', comment: '完了しました' });
    });

    test('goes on after a tool result, with strict roles as well', async () => {
      const model = await start(provider, {
        script: [READ, { done: true, comment: 'ok' }],
        strictRoles: provider !== 'openai',
      });
      const first = await model.ask(request(offer));
      const answered: ChatMessage[] = first.toolCalls.length
        ? [
            { role: 'assistant', content: first.text, toolCalls: first.toolCalls },
            { role: 'tool', content: 'contents', toolCallId: first.toolCalls[0]?.id ?? '' },
          ]
        : [
            { role: 'assistant', content: first.text },
            { role: 'user', content: 'contents' },
          ];
      const reply = await model.ask(request({ ...offer, messages: [...HISTORY, ...answered] }));
      expect(readReply(reply)).toMatchObject({ kind: 'done' });
      expect(JSON.stringify(server.requests[1]?.messages)).toContain('contents');
    });

    test('tells what it used', async () => {
      const model = await start(provider, {
        script: [{ ...READ, usage: { promptTokens: 321, completionTokens: 12 } }],
      });
      expect((await model.ask(request(offer))).usage).toEqual({ promptTokens: 321, completionTokens: 12 });
    });

    test('says when it was cut short', async () => {
      const model = await start(provider, { script: [{ ...READ, finish: 'length' }] });
      const reply = await model.ask(request(offer));
      expect(reply.finish).toBe('length');
      expect(readReply(reply)).toMatchObject({ kind: 'unreadable', reason: 'cut' });
    });

    test('keeps its reasoning out of the text', async () => {
      const model = await start(provider, { script: [{ ...READ, reasoning: 'secret thoughts {"done":true}' }] });
      expect((await model.ask(request(offer))).text).not.toContain('thoughts');
    });

    test('a prompt that does not fit is an overflow', async () => {
      const model = await start(provider, { script: [{ overflow: true }] });
      const asked = model.ask(request({ ...offer, estimatedTokens: 6000 }));
      await expect(asked).rejects.toMatchObject({ kind: 'overflow', details: { calls: 1 } });
    });

    test(`a request offers ${protocol} in the dialect of the server`, async () => {
      const model = await start(provider, { script: [READ] });
      await model.ask(request(offer));
      const [seen] = server.requests;
      expect(seen?.tools).toEqual('tools' in offer ? ['fs/read', 'done'] : null);
      expect(seen?.schema).toEqual('schema' in offer ? REPLY_SCHEMA : null);
    });
  });

  test('tools win over a schema', async () => {
    const model = await start(provider, { script: [READ] });
    await model.ask(request({ tools: TOOLS, schema: SCHEMA }));
    expect(server.requests[0]).toMatchObject({ schema: null, tools: ['fs/read', 'done'] });
  });

  test('an empty reply is a reply', async () => {
    const model = await start(provider, { script: [{ text: '' }] });
    expect(await model.ask(request())).toMatchObject({ text: '', toolCalls: [], finish: 'stop' });
  });

  test.each([
    ['a 500', { status: 500 }],
    ['a 503 while it loads', { status: 503, body: { error: 'loading model' } }],
    ['a 429', { status: 429 }],
    ['a dropped connection', { drop: true as const }],
    ['a page of HTML', { garbage: true as const }],
  ])('%s is tried again, and every request counts', async (_, failure) => {
    const model = await start(provider, { script: [failure, failure, READ] });
    const told: number[] = [];
    const reply = await model.ask(request({ onRetry: ({ retry }) => told.push(retry) }));
    expect(reply.calls).toBe(3);
    expect(told).toEqual([1, 2]);
    expect(clock.waits).toHaveLength(2);
  });

  test.each([
    ['a 502', { status: 502 }, 'unreachable'],
    ['a 503', { status: 503 }, 'unreachable'],
    ['a 429', { status: 429 }, 'rate'],
    ['a dropped connection', { drop: true as const }, 'unreachable'],
    ['a page of HTML', { garbage: true as const }, 'unreachable'],
  ])('%s without end is given up after four requests', async (_, failure, kind) => {
    const model = await start(provider, { script: () => failure });
    await expect(model.ask(request())).rejects.toMatchObject({ kind, details: { calls: 4 } });
    expect(server.requests).toHaveLength(4);
  });

  test('the wait that a server asks for is obeyed', async () => {
    const model = await start(provider, { script: [{ status: 429, headers: { 'retry-after': '7' } }, READ] });
    await model.ask(request());
    expect(clock.waits).toEqual([7000]);
  });

  test('a wait of more than a minute is left to the next tick', async () => {
    const model = await start(provider, { script: [{ status: 429, headers: { 'retry-after': '90' } }] });
    await expect(model.ask(request())).rejects.toMatchObject({
      kind: 'rate',
      details: { calls: 1, retryAt: 1_000_000 + 90_000, status: 429 },
    });
  });

  test('a server that does not answer in time is tried again', async () => {
    const model = await start(provider, { script: [{ hang: true }, READ] }, { timeoutSeconds: 0.2 });
    expect((await model.ask(request())).calls).toBe(2);
  });

  test('a server that is not there is unreachable, with what to check', async () => {
    const model = await start(provider, { script: [] });
    await server.close();
    await expect(model.ask(request())).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining(`llm.${provider}`),
    });
  });

  test('a wrong key is refused at once', async () => {
    const model = await start(provider, { script: [], apiKey: 'another' });
    await expect(model.ask(request())).rejects.toMatchObject({ kind: 'refused', details: { status: 401, calls: 1 } });
  });

  test('an unknown model is rejected, with what to do', async () => {
    const model = await start(provider, { script: [] }, { model: 'nobody' });
    await expect(model.ask(request())).rejects.toMatchObject({
      kind: 'rejected',
      message: expect.stringMatching(/nobody.*(check|load|pull)/s),
    });
  });

  test('tools that are refused are not offered again, and JSON works instead', async () => {
    const model = await start(provider, { script: [READ], takesTools: false });
    await expect(model.ask(request({ tools: TOOLS }))).rejects.toMatchObject({
      kind: 'no_tools',
      details: { calls: 1 },
    });
    await expect(model.ask(request({ tools: TOOLS }))).rejects.toMatchObject({
      kind: 'no_tools',
      details: { calls: 0 },
    });
    expect(await model.supportsTools(request().signal)).toBe(false);
    expect(readReply(await model.ask(request({ schema: SCHEMA })))).toMatchObject({ kind: 'act' });
    expect(await (await connect(provider)).supportsTools(request().signal)).toBe(false);
  });

  test.each([
    ['fails without them as well', [{ status: 400, body: { error: 'bad tool message' } }]],
    ['was followed by nothing but a summary', [{ text: 'Summary.' }]],
  ])('a 400 that speaks of tools and %s is not remembered', async (_, after: Step[]) => {
    const refusal = { status: 400, body: { error: 'bad tool message' } };
    const model = await start(provider, { script: [refusal, ...after, ...after] });
    await expect(model.ask(request({ tools: TOOLS }))).rejects.toMatchObject({ kind: 'no_tools' });
    await model.ask(request('text' in after[0]! ? {} : { schema: SCHEMA })).catch(() => undefined);
    expect(await (await connect(provider)).supportsTools(request().signal)).toBe(true);
  });

  test('a 404 that speaks of tools says nothing about tools', async () => {
    const model = await start(provider, { script: [{ status: 404, body: { error: 'no endpoint with tool use' } }] });
    await expect(model.ask(request({ tools: TOOLS }))).rejects.toMatchObject({ kind: 'rejected' });
  });

  test('another model at the same server is asked anew', async () => {
    const model = await start(provider, { script: [], takesTools: false });
    await model.ask(request({ tools: TOOLS })).catch(() => undefined);
    server.behaviour.takesTools = true;
    server.behaviour.model = 'other';
    expect(await (await connect(provider, { model: 'other' })).supportsTools(request().signal)).toBe(true);
  });

  test('a person who insists on tools is told that the server refuses them', async () => {
    const model = await start(provider, { script: [], takesTools: false }, { functionCalling: true });
    await expect(model.ask(request({ tools: TOOLS }))).rejects.toMatchObject({ kind: 'rejected' });
    expect(await model.supportsTools(request().signal)).toBe(true);
  });

  test('function_calling: false means no tools, unasked', async () => {
    const model = await start(provider, { script: [] }, { functionCalling: false });
    expect(await model.supportsTools(request().signal)).toBe(false);
  });

  test('a schema that is refused is left out, then and later', async () => {
    const model = await start(provider, { script: [READ, READ], takesSchema: false });
    expect((await model.ask(request({ schema: SCHEMA }))).calls).toBe(2);
    expect((await model.ask(request({ schema: SCHEMA }))).calls).toBe(1);
    expect(server.requests.map(({ schema }) => schema !== null)).toEqual([true, false, false]);
  });

  test('a 400 for another reason is not blamed on the schema', async () => {
    const model = await start(provider, { script: () => ({ status: 400, body: { error: 'no' } }) });
    await expect(model.ask(request({ schema: SCHEMA }))).rejects.toMatchObject({
      kind: 'rejected',
      details: { calls: 2 },
    });
    await model.ask(request({ schema: SCHEMA })).catch(() => undefined);
    expect(server.requests[2]?.schema).not.toBeNull();
  });

  test('an abort ends the request with its own reason', async () => {
    const model = await start(provider, { script: [{ hang: true }] });
    const stop = new AbortController();
    const reason = new Error('told to stop');
    server.onRequest = () => stop.abort(reason);
    await expect(model.ask(request({ signal: stop.signal }))).rejects.toBe(reason);
  });

  test('an abort during a wait ends the waiting', async () => {
    const model = await start(provider, { script: () => ({ status: 503 }) });
    const stop = new AbortController();
    const reason = new Error('told to stop');
    const asked = model.ask(request({ signal: stop.signal, onRetry: () => stop.abort(reason) }));
    await expect(asked).rejects.toBe(reason);
    expect(server.requests.length).toBeLessThan(3);
  });

  test('an inherited summary before the first request is taken by strict templates', async () => {
    const model = await start(provider, { script: [{ text: 'hi' }], strictRoles: provider !== 'openai' });
    const [system, user] = HISTORY as [ChatMessage, ChatMessage];
    await model.ask(request({ messages: [system, { role: 'assistant', content: '前回の処理要約: x' }, user, user] }));
    expect(server.requests[0]?.messages.map(({ role }) => role).join(' ')).toBe(
      provider === 'openai' ? 'system assistant user user' : 'system user assistant user',
    );
  });

  test('what was added to the history extends the request that went before', async () => {
    const model = await start(provider, { script: [{ text: 'a' }, { text: 'b' }] });
    await model.ask(request());
    await model.ask(
      request({ messages: [...HISTORY, { role: 'assistant', content: 'a' }, { role: 'user', content: 'more' }] }),
    );
    const [before, after] = server.requests.map(({ messages }) => messages);
    expect(after?.slice(0, before?.length)).toEqual(before);
  });

  test('the key goes out as a bearer token and nothing of the environment with it', async () => {
    const model = await start(provider, { script: [READ], apiKey: 'secret-key' });
    await model.ask(request());
    expect(server.requests[0]?.headers).not.toHaveProperty('openai-organization');
  });
});

describe('what only one of them does', () => {
  test.each([
    ['openai', 'max_completion_tokens'],
    ['lmstudio', 'max_tokens'],
  ] as const)('%s is told max_token as %s, within what the context leaves', async (provider, field) => {
    const model = await start(provider, { script: [READ, READ, READ] }, { maxToken: 1000 });
    await model.ask(request());
    await model.ask(request({ estimatedTokens: 7500 }));
    await (await connect(provider)).ask(request());
    expect(server.requests.map(({ body }) => body[field])).toEqual([1000, 500, undefined]);
  });

  test('Ollama is told its context and what is left of it for the reply', async () => {
    const model = await start('ollama', { script: [READ, READ] }, { maxToken: 1000 });
    await model.ask(request());
    await (await connect('ollama')).ask(request());
    expect(server.requests.map(({ body }) => body['options'])).toEqual([
      { num_ctx: 8000, num_predict: 1000 },
      { num_ctx: 8000, num_predict: 7980 },
    ]);
  });

  test.each([
    ['250', 250],
    ['soon', 7000],
  ])('OpenAI’s own header for the wait (%s) counts where it is a number', async (wish, waited) => {
    const headers = { 'retry-after-ms': wish, 'retry-after': '7' };
    const model = await start('openai', { script: [{ status: 429, headers }, READ] });
    await model.ask(request());
    expect(clock.waits).toEqual([waited]);
  });

  test('OpenAI without any quota left is not asked again', async () => {
    const body = {
      error: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' },
    };
    const model = await start('openai', { script: [{ status: 429, body }] });
    await expect(model.ask(request())).rejects.toMatchObject({ kind: 'rate', details: { calls: 1 } });
  });

  test.each([
    ['openai', { id: 'x', type: 'function' }],
    ['openai', null],
    ['lmstudio', { id: 'x', type: 'function' }],
  ] as const)('%s: a tool call without a name (%j) is garbage, and asked again', async (provider, call) => {
    const body = { choices: [{ finish_reason: 'tool_calls', message: { content: null, tool_calls: [call] } }] };
    const model = await start(provider, { script: [{ status: 200, body }, READ] });
    expect((await model.ask(request({ tools: TOOLS }))).calls).toBe(2);
  });

  test('Ollama: a tool call without a name is garbage, and asked again', async () => {
    const body = [{ message: { role: 'assistant', content: '', tool_calls: [{ function: {} }] }, done: true }];
    const model = await start('ollama', { script: [{ status: 200, body }, READ] });
    expect((await model.ask(request({ tools: TOOLS }))).calls).toBe(2);
  });

  test.each(['openai', 'lmstudio'] as const)('%s: a reply in parts is their text', async (provider) => {
    const content = [
      { type: 'text', text: '{"done":true,' },
      { type: 'image' },
      { type: 'text', text: '"comment":"ok"}' },
    ];
    const body = { choices: [{ finish_reason: 'stop', message: { content } }] };
    const model = await start(provider, { script: [{ status: 200, body }] });
    expect(readReply(await model.ask(request()))).toEqual({ kind: 'done', comment: 'ok' });
  });

  test('a gateway’s 200 with a 502 inside is a 502', async () => {
    const upstream = { status: 200, body: { error: { message: 'Provider returned error', code: 502 } } };
    const model = await start('openai', { script: [upstream, READ] });
    expect((await model.ask(request())).calls).toBe(2);
  });

  test.each([
    ['a code', { message: 'too long', code: 'context_length_exceeded' }],
    ['a sentence', { message: "This model's maximum context length is 8192 tokens", code: null }],
    ['nothing but a sentence', "This model's maximum context length is 8192 tokens"],
  ])('a gateway’s 200 with %s for an overflow inside is an overflow', async (_, error) => {
    const model = await start('openai', { script: [{ status: 200, body: { error } }] });
    await expect(model.ask(request())).rejects.toMatchObject({ kind: 'overflow', details: { calls: 1 } });
  });

  test('a 200 of LM Studio whose model was unloaded is waited for', async () => {
    const model = await start('lmstudio', { script: () => ({ status: 200, body: { error: 'Model is unloaded.' } }) });
    await expect(model.ask(request())).rejects.toMatchObject({ kind: 'unreachable', details: { calls: 4 } });
  });

  test('one tool with a bad schema does not mean that OpenAI takes no tools', async () => {
    const error = {
      message: "Invalid schema for function 'x'",
      code: 'invalid_function_parameters',
      param: 'tools[0].function.parameters',
    };
    const model = await start('openai', { script: [{ status: 400, body: { error } }] });
    await expect(model.ask(request({ tools: TOOLS }))).rejects.toMatchObject({ kind: 'rejected' });
    expect(await model.supportsTools(request().signal)).toBe(true);
  });

  test.each([
    ['an error', { error: 'Trying to keep the first 9000 tokens' }],
    ['no choices', { choices: [] }],
    ['nothing', {}],
    ['not even a body', ''],
  ])('a 200 of LM Studio with %s in it is an overflow', async (_, body) => {
    const model = await start('lmstudio', { script: [{ status: 200, body }] });
    await expect(model.ask(request())).rejects.toMatchObject({ kind: 'overflow' });
  });

  test('LM Studio without a loaded model is waited for', async () => {
    const body = { error: 'No models loaded. Please load a model in the developer page.' };
    const model = await start('lmstudio', { script: () => ({ status: 400, body }) });
    await expect(model.ask(request())).rejects.toMatchObject({ kind: 'unreachable', details: { calls: 4 } });
  });

  test.each([
    ['shortened', 3500, 6000, 'overflow'],
    ['not counted', 0, 6000, 'fine'],
    ['counted a little lower than estimated', 4000, 6000, 'fine'],
    ['small', 100, 790, 'fine'],
  ])('Ollama’s prompt that is %s: %d tokens read of %d is %s', async (_, promptTokens, estimatedTokens, expected) => {
    const model = await start('ollama', { script: [{ text: 'hi', usage: { promptTokens, completionTokens: 1 } }] });
    const asked = model.ask(request({ estimatedTokens })).then(
      () => 'fine',
      (error: { kind: string }) => error.kind,
    );
    expect(await asked).toBe(expected);
  });

  test('Ollama is asked only once what the model can', async () => {
    const model = await start('ollama', { script: [] });
    expect(await model.supportsTools(request().signal)).toBe(true);
    await server.close();
    expect(await model.supportsTools(request().signal)).toBe(true);
  });

  test('a real truncation by the canned Ollama is noticed', async () => {
    const model = await start('ollama', { script: [{ text: 'hi' }] }, { contextLength: 1000 });
    const long = Array.from({ length: 10 }, (_, n): ChatMessage => ({
      role: n % 2 ? 'assistant' : 'user',
      content: 'word '.repeat(300),
    }));
    const asked = model.ask(request({ messages: [...HISTORY.slice(0, 1), ...long], estimatedTokens: 3800 }));
    await expect(asked).rejects.toMatchObject({ kind: 'overflow' });
  });

  test('a call without id gets the same one whenever it is read', async () => {
    const message = { role: 'assistant', tool_calls: [{ function: { name: 'fs__read', arguments: { path: 'a' } } }] };
    const step = { status: 200, body: { message, done: true, done_reason: 'stop' } };
    const model = await start('ollama', { script: [step, step] });
    const replies = [await model.ask(request({ tools: TOOLS })), await model.ask(request({ tools: TOOLS }))];
    expect(replies[0]?.toolCalls[0]?.id).toMatch(/^call_1_/);
    expect(replies[0]?.toolCalls).toEqual(replies[1]?.toolCalls);
  });

  test('arguments that are no JSON are kept as they came', async () => {
    const call = { id: 'c1', type: 'function', function: { name: 'fs__read', arguments: 'path=a' } };
    const body = { choices: [{ message: { content: null, tool_calls: [call] }, finish_reason: 'tool_calls' }] };
    const model = await start('openai', { script: [{ status: 200, body }] });
    expect((await model.ask(request({ tools: TOOLS }))).toolCalls).toEqual([
      { id: 'c1', tool: 'fs/read', args: null, raw: 'path=a' },
    ]);
  });
});
