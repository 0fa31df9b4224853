import { Ajv } from 'ajv';
import { extractJson } from '../../src/agent/extract-json.js';
import { stripReasoning } from '../../src/agent/reasoning.js';
import { type Reading, readReply, readShape } from '../../src/agent/reply.js';
import type { ToolCall } from '../../src/ports.js';

const said = (text: string): Reading => readReply({ text, toolCalls: [], finish: 'stop' });
const READ = '{"comment":"why","command":{"tool":"fs/read","args":{"path":"a"}}}';
const DONE = '{"done":true,"comment":"fin"}';

/** A reading in one line: `act fs/read {"path":"a"} // why`, `done // fin`, `unreadable prose`. */
function brief(reading: Reading): string {
  if (reading.kind === 'unreadable') return `unreadable ${reading.reason}`;
  const comment = reading.comment === null ? '' : ` // ${reading.comment}`;
  if (reading.kind === 'done') return `done${comment}`;
  const calls = reading.calls.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`).join(' + ');
  return `act ${calls}${reading.ignoredDone ? ' (done ignored)' : ''}${comment}`;
}

const FIRST = '{"command":{"tool":"a/b","args":{}}}';
const SECOND = '{"command":{"tool":"c/d"}}';
const BOTH = 'act a/b {} + c/d {}';
const ACT = 'act fs/read {"path":"a"} // why';

describe('replies that are understood', () => {
  test.each([
    ['a bare command', READ, ACT],
    ['a bare done', DONE, 'done // fin'],
    ['pretty-printed JSON', JSON.stringify(JSON.parse(READ), null, 2), ACT],
    ['white space around it', `\n\n  ${READ}  \n`, ACT],
    ['a byte order mark', `\uFEFF${READ}`, ACT],
    ['a json fence', `\`\`\`json\n${READ}\n\`\`\``, ACT],
    ['a fence without language', `\`\`\`\n${READ}\n\`\`\``, ACT],
    ['a fence that is never closed', `\`\`\`json\n${READ}`, ACT],
    ['a fence between prose', `Sure!\n\`\`\`json\n${READ}\n\`\`\`\nLet me know.`, ACT],
    ['Japanese prose around a fence', `ファイルを読みます。\n\`\`\`json\n${READ}\n\`\`\`\n以上です。`, ACT],
    ['prose before', `I will read the file first. ${READ}`, ACT],
    ['prose after', `${READ}\nThat should do it.`, ACT],
    ['Japanese prose in one line', `了解しました。${DONE}`, 'done // fin'],
    ['a fenced object before a bare one', `\`\`\`json\n${READ}\n\`\`\`\nLike {"comment":"x"}.`, ACT],
    ['two commands: the last one', `{"command":{"tool":"fs/list"}}\n${READ}`, ACT],
    ['an object that says nothing, then a command', `{"thought":"hm"}\n${READ}`, ACT],
    ['a command, then an object that says nothing', `${READ}\n{"note":"x"}`, ACT],
    ['a stray brace in a sentence', `Use a { to open blocks. ${READ}`, ACT],
    ['a brace too many', `${READ}}`, ACT],
    ['a trailing comma', '{"comment":"why","command":{"tool":"fs/read","args":{"path":"a"},},}', ACT],
    ['single quotes', "{'comment':'why','command':{'tool':'fs/read','args':{'path':'a'}}}", ACT],
    ['keys without quotes', '{comment:"why",command:{tool:"fs/read",args:{path:"a"}}}', ACT],
    ['Python literals', '{"done": True, "comment": "fin"}', 'done // fin'],
    ['comments in the JSON', '{"comment":"why", /* look */ "command":{"tool":"fs/read","args":{"path":"a"}}}', ACT],
    ['a missing comma', '{"done":true "comment":"fin"}', 'done // fin'],
    ['a line break inside a string', '{"done":true,"comment":"one\ntwo"}', 'done // one\ntwo'],
    ['the comment inside the command', '{"command":{"comment":"why","tool":"fs/read","args":{"path":"a"}}}', ACT],
    [
      'both comments: the outer one',
      '{"comment":"why","command":{"comment":"x","tool":"fs/read","args":{"path":"a"}}}',
      ACT,
    ],
    ['an empty outer comment', '{"comment":" ","command":{"comment":"why","tool":"fs/read","args":{"path":"a"}}}', ACT],
    ['no comment at all', '{"command":{"tool":"fs/read","args":{"path":"a"}}}', 'act fs/read {"path":"a"}'],
    ['a null comment', '{"comment":null,"command":{"tool":"fs/read","args":{}}}', 'act fs/read {}'],
    ['no arguments', '{"command":{"tool":"fs/list"}}', 'act fs/list {}'],
    ['null arguments', '{"command":{"tool":"fs/list","args":null}}', 'act fs/list {}'],
    [
      'arguments as a string of JSON',
      '{"command":{"tool":"fs/read","args":"{\\"path\\":\\"a\\"}"}}',
      'act fs/read {"path":"a"}',
    ],
    ['arguments under their native name', '{"command":{"tool":"a/b","arguments":{"x":1}}}', 'act a/b {"x":1}'],
    ['arguments as parameters', '{"command":{"tool":"a/b","parameters":"{\\"x\\":1}"}}', 'act a/b {"x":1}'],
    ['the command as a string of JSON', '{"command":"{\\"tool\\":\\"fs/read\\",\\"args\\":{}}"}', 'act fs/read {}'],
    ['a tool without its server', '{"command":{"tool":"read_file","args":{}}}', 'act read_file {}'],
    ['a tool in the native spelling', '{"command":{"tool":"fs__read_file","args":{}}}', 'act fs/read_file {}'],
    ['done as a tool', '{"command":{"tool":"done","args":{"comment":"fin"}}}', 'done // fin'],
    ['a null command beside done', '{"command":null,"done":true,"comment":"fin"}', 'done // fin'],
    [
      'done false beside a command',
      '{"comment":"why","command":{"tool":"fs/read","args":{"path":"a"}},"done":false}',
      ACT,
    ],
    ['a command and done in one object', '{"command":{"tool":"fs/list"},"done":true}', 'act fs/list {} (done ignored)'],
    ['a command, then done', `${READ}\n${DONE}`, 'act fs/read {"path":"a"} (done ignored) // why'],
    ['done, then a command', `${DONE}\n${READ}`, 'act fs/read {"path":"a"} (done ignored) // why'],
    ['a list of one', `[${READ}]`, ACT],
    ['a list of two, in their order', '[{"command":{"tool":"a/b"}},{"command":{"tool":"c/d"}}]', 'act a/b {} + c/d {}'],
    ['a list of a command and done', `[${READ},${DONE}]`, 'act fs/read {"path":"a"} (done ignored) // why'],
    ['a list in a fence', `\`\`\`json\n[${FIRST},${SECOND}]\n\`\`\``, BOTH],
    ['a list after prose', `I will do both: [\n  ${FIRST},\n  ${SECOND}\n]`, BOTH],
    ['a list before prose', `[${FIRST},${SECOND}]\nThat is all.`, BOTH],
    ['a list with a trailing comma', `[${FIRST},${SECOND},]`, BOTH],
    [
      'a list with a list and a bracket inside',
      `Now: [${FIRST.replace('{}', '{"x":[1],"t":"]"}')}]`,
      'act a/b {"x":[1],"t":"]"}',
    ],
    ['brackets in a sentence', `See [1] and [{] for that. ${READ}`, ACT],
    ['keys nobody asked for', '{"thought":"x","done":true,"comment":"fin","confidence":1}', 'done // fin'],
    ['done without a comment', '{"done":true}', 'done'],
    ['reasoning before', `<think>Should I? {"done":true}</think>${READ}`, ACT],
    ['reasoning in capitals', `<THINKING>{"done":true}</THINKING>\n${READ}`, ACT],
    ['reasoning that was never opened', `Maybe {"done":true} is right.</think>\n${READ}`, ACT],
    ['reasoning with a lone brace', `<reasoning>a { here</reasoning>${READ}`, ACT],
    ['reasoning after', `${READ}<think>{"done":true}</think>`, ACT],
    ['reasoning in brackets', `[THINK]Maybe {"done":true}[/THINK]${READ}`, ACT],
    [
      'reasoning with a space or an attribute in its tag',
      `<think >{"done":true}</think ><think a="1">x</think>${READ}`,
      ACT,
    ],
    [
      'reasoning in a channel',
      `<|channel|>analysis<|message|>Maybe {"done":true}<|end|><|start|>assistant<|channel|>final<|message|>${READ}<|end|>`,
      ACT,
    ],
    ['a channel that was never opened', `{"done":true}?<|channel|>final<|message|>${READ}<|return|>`, ACT],
    ['a word in brackets', `I [think] so. ${READ}`, ACT],
    ['nested reasoning', `<think>a<think>b</think>{"done":true}</think>${READ}`, ACT],
    [
      'reasoning tags as data',
      '{"command":{"tool":"fs/w","args":{"t":"<think>x</think>"}}}',
      'act fs/w {"t":"<think>x</think>"}',
    ],
    [
      'reasoning tags as data, between prose',
      'Now: {"command":{"tool":"fs/w","args":{"t":"a <think>x</think> b"}}} ok?',
      'act fs/w {"t":"a <think>x</think> b"}',
    ],
    [
      'a fence as data',
      'Writing: {"command":{"tool":"fs/w","args":{"t":"```json\\n{\\"done\\":true}\\n```"}}}',
      'act fs/w {"t":"```json\\n{\\"done\\":true}\\n```"}',
    ],
    ['braces and quotes as data', '{"command":{"tool":"fs/w","args":{"t":"} \\" {"}}}', 'act fs/w {"t":"} \\" {"}'],
    ['done inside arguments is data', '{"command":{"tool":"fs/w","args":{"done":true}}}', 'act fs/w {"done":true}'],
  ])('%s', (_, text, expected) => {
    expect(brief(said(text))).toBe(expected);
  });
});

describe('replies that are not', () => {
  test.each([
    ['nothing', '', 'empty'],
    ['white space', ' \n\t ', 'empty'],
    ['reasoning alone', `<think>${DONE}</think>`, 'empty'],
    ['reasoning in brackets alone', `[THINK]${DONE}[/THINK]`, 'empty'],
    ['a channel of reasoning alone', `<|channel|>analysis<|message|>${DONE}<|end|>`, 'empty'],
    ['a channel of reasoning that never ends', `<|channel|>analysis<|message|>I could say ${DONE}`, 'empty'],
    ['reasoning that never ends', `<think>I could say ${DONE}`, 'empty'],
    ['prose', 'I have finished the task.', 'prose'],
    ['Japanese prose', '作業が完了しました。ご確認ください。', 'prose'],
    ['the word done', 'done: true', 'prose'],
    ['a JavaScript iterator in a sentence', 'The iterator returns { done: true } at the end.', 'prose'],
    ['a shell fence', '```sh\nls -la\n```', 'prose'],
    ['a number', '42', 'prose'],
    ['an empty list', '[]', 'prose'],
    ['a comment alone', '{"comment":"working on it"}', 'comment_only'],
    ['done false', '{"done":false,"comment":"not yet"}', 'comment_only'],
    ['an empty object', '{}', 'invalid'],
    ['done as a string', '{"done":"true","comment":"fin"}', 'invalid'],
    ['done as a number', '{"done":1}', 'invalid'],
    ['a command without a tool', '{"command":{"args":{}}}', 'invalid'],
    ['an empty tool', '{"command":{"tool":"","args":{}}}', 'invalid'],
    ['a tool that is no string', '{"command":{"tool":["fs/read"],"args":{}}}', 'invalid'],
    ['arguments as a list', '{"command":{"tool":"fs/read","args":["a"]}}', 'invalid'],
    ['arguments as a word', '{"command":{"tool":"fs/read","args":"a"}}', 'invalid'],
    ['a command as a word', '{"command":"ls -la"}', 'invalid'],
    ['tool and arguments without a command', '{"tool":"fs/read","args":{"done":true}}', 'invalid'],
    ['done buried in something else', '{"result":{"done":true}}', 'invalid'],
    ['a list with a bad command in it', '[{"command":{"tool":"a/b"}},{"command":{}}]', 'invalid'],
    ['a missing closing brace', READ.slice(0, -1), 'cut'],
    ['an object cut in a string', '{"comment":"why","command":{"tool":"fs/write","args":{"text":"hel', 'cut'],
    ['an object cut inside a fence', '```json\n{"command":{"tool":"fs/write","args":{"a":1}', 'cut'],
    ['an inner done in an object that never closes', '{"comment":"x","inner":{"done":true}', 'cut'],
    ['a good command before one that is cut', `${READ}\n{"command":{"tool":"fs/wri`, 'cut'],
    ['a quote that is not escaped', '{"comment":"5" wide","done":true}', 'cut'],
    ['a list that never closes', `[${FIRST},${SECOND},`, 'cut'],
    ['a list that never closes, in a fence', `\`\`\`json\n[${FIRST},\n${SECOND}\n\`\`\``, 'cut'],
    ['a list with a bad command in it, after prose', `Both: [${FIRST},{"command":{}}]`, 'invalid'],
    ['a lone opening brace', 'Here it comes:\n{', 'cut'],
  ])('%s', (_, text, reason) => {
    expect(brief(said(text))).toBe(`unreadable ${reason}`);
  });

  test.each(['{"done":"true"}', 'prose', '', '{"comment":"x"}'])('%j is answered with what to send instead', (text) => {
    const reading = said(text);
    expect(reading.kind === 'unreadable' && reading.complaint).toMatch(/"command".*"done": true/s);
  });

  test('the complaint names the place that is wrong', () => {
    const reading = said('{"command":{"tool":5,"args":[]}}');
    expect(reading).toMatchObject({ complaint: expect.stringContaining('command.tool must be string') });
    expect(reading).toMatchObject({ complaint: expect.stringContaining('command.args must be object') });
  });

  test('a reply that hit the length limit is never carried out, even if it looks whole', () => {
    expect(brief(readReply({ text: READ, toolCalls: [], finish: 'length' }))).toBe('unreadable cut');
  });
});

describe('native tool calls', () => {
  const call = (tool: string, args: ToolCall['args'], raw?: string): ToolCall => ({
    id: `id_${tool}`,
    tool,
    args,
    ...(raw === undefined ? {} : { raw }),
  });
  const native = (toolCalls: ToolCall[], text = '') => readReply({ text, toolCalls, finish: 'tool_calls' });

  test.each([
    ['one call', [call('fs/read', { path: 'a' })], 'why', ACT],
    ['several calls, in their order', [call('a/b', {}), call('c/d', {})], '', 'act a/b {} + c/d {}'],
    ['reasoning is no comment', [call('a/b', {})], '<think>hm</think>', 'act a/b {}'],
    ['a comment in the JSON protocol', [call('a/b', {})], '{"comment":"why"}', 'act a/b {} // why'],
    ['done', [call('done', { comment: 'fin' })], 'text', 'done // fin'],
    ['done without a comment', [call('done', {})], 'fin', 'done // fin'],
    ['done with broken arguments', [call('done', null, 'fin')], '', 'done'],
    ['done beside a call', [call('a/b', {}), call('done', {})], '', 'act a/b {} (done ignored)'],
    ['done in the text beside a call', [call('a/b', {})], DONE, 'act a/b {} (done ignored) // fin'],
    ['arguments that can be repaired', [call('a/b', null, "{'x': 1,}")], '', 'act a/b {"x":1}'],
    ['arguments encoded twice', [call('a/b', null, '"{\\"x\\":1}"')], '', 'act a/b {"x":1}'],
    ['arguments that are no object', [call('a/b', null, '[1]')], '', 'act a/b null'],
    ['arguments that never close', [call('a/b', null, '{"x":"hel')], '', 'unreadable cut'],
    ['one of two that never closes', [call('a/b', {}), call('c/d', null, '{"x":')], '', 'unreadable cut'],
  ])('%s', (_, calls, text, expected) => {
    expect(brief(native(calls, text))).toBe(expected);
  });

  test('calls keep their ids; those of the JSON protocol get one', () => {
    expect(native([call('a/b', {})])).toMatchObject({ calls: [{ id: 'id_a/b' }] });
    expect(said(READ)).toMatchObject({ calls: [{ id: 'json_1' }] });
  });

  test('cut short, they are not carried out', () => {
    expect(brief(readReply({ text: '', toolCalls: [call('a/b', {})], finish: 'length' }))).toBe('unreadable cut');
  });
});

describe('other shapes', () => {
  const isPlan = new Ajv().compile<{ goal: string }>({
    type: 'object',
    properties: { goal: { type: 'string' } },
    required: ['goal'],
  });

  test('the first piece that fits is taken', () => {
    expect(readShape('<think>{"goal":"no"}</think>A plan: {"goal":"yes"} {"x":1}', isPlan)).toEqual({
      ok: true,
      value: { goal: 'yes' },
    });
  });

  test.each([
    ['{"goal":5}', 'goal must be string'],
    ['{"x":1}', "must have required property 'goal'"],
    ['no plan', 'no JSON object'],
    ['', 'empty'],
    ['{"goal":"y', 'cut short'],
  ])('%j is handed back with the complaint', (text, complaint) => {
    expect(readShape(text, isPlan)).toEqual({ ok: false, complaint: expect.stringContaining(complaint) });
  });

  test('a shape that stands in a list is taken out of it', () => {
    expect(readShape('A plan:\n[{"goal":"yes"}]', isPlan)).toEqual({ ok: true, value: { goal: 'yes' } });
  });

  test('a shape cut short by the limit is not taken', () => {
    expect(readShape('{"goal":"yes"}', isPlan, 'length')).toMatchObject({ ok: false });
  });

  test('candidates come best first', () => {
    expect(extractJson('{"a":1} ```json\n{"b":2}\n``` {"c":3}')).toEqual([{ b: 2 }, { c: 3 }, { a: 1 }]);
  });
});

describe('hostile text', () => {
  test.each([
    ['braces', '{'.repeat(200_000)],
    ['brackets', '[{'.repeat(100_000)],
    ['tags', '<think>'.repeat(50_000)],
    ['tags of channels', '<|channel|>'.repeat(50_000)],
    ['closing tags', '</think>'.repeat(50_000)],
    ['quotes', '{"'.repeat(100_000)],
    ['fences', '```'.repeat(100_000)],
  ])('many %s are dealt with at once', (_, text) => {
    const started = performance.now();
    expect(said(text).kind).toBe('unreadable');
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test('a reply without reasoning is left as it is', () => {
    expect(stripReasoning('a < b && c > d {x}')).toBe('a < b && c > d {x}');
  });
});

test('a command in the text beside a native done is carried out, and done does not count', () => {
  const text = '{"command":{"tool":"files/read","args":{"path":"a"}}}';
  const toolCalls = [{ id: '1', tool: 'done', args: { comment: 'finished' } }];
  expect(readReply({ text, toolCalls, finish: 'tool_calls' })).toMatchObject({
    kind: 'act',
    calls: [{ tool: 'files/read', args: { path: 'a' } }],
    ignoredDone: true,
  });
});
