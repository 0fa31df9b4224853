import { readReply } from '../../src/agent/reply.js';
import type { ModelErrorKind } from '../../src/ports.js';
import { request, SCHEMA, start, TOOLS } from './rig.js';

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
});
