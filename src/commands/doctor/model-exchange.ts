import { extractJson } from '../../agent/extract-json.js';
import { scratchTranscript } from '../../agent/history.js';
import { LlmClient, type LlmReply } from '../../agent/llm-client.js';
import { readReply } from '../../agent/reply.js';
import { ModelError, type Model, type ToolSpec } from '../../ports.js';
import { ok, problem, warning, type Check } from './check.js';

const TOOL: ToolSpec = {
  name: 'doctor/echo',
  description: 'Gives back the text it is called with.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
};

/** One tool-call round trip: the model calls, gets the result and goes on. Throws `ModelError` where it cannot be asked. */
export async function callTool(model: Model, signal: AbortSignal): Promise<{ check: Check; native: boolean }> {
  if (!(await model.supportsTools(signal))) return withoutNative('it takes no native tools');
  const transcript = scratchTranscript();
  const client = new LlmClient(model, transcript, signal);
  client.sendSystemPrompt('You are being checked. Do exactly what you are asked, with the tools you have.');
  client.sendUserMessage('Call the tool echo with the text "pong". When you have its result, call done.');
  try {
    const reply = await client.getResponse({ tools: [TOOL] });
    const [call] = reply.toolCalls;
    if (!call) return { check: calledInText(reply), native: true };
    transcript.append({ role: 'tool', content: 'pong', toolCallId: call.id });
    for (const other of reply.toolCalls.slice(1))
      transcript.append({ role: 'tool', content: 'noted', toolCallId: other.id });
    await client.getResponse({ tools: [TOOL] });
    return { check: calledNatively(call.tool), native: true };
  } catch (error) {
    if (error instanceof ModelError && error.kind === 'no_tools')
      return withoutNative('the server refuses native tools');
    throw error;
  }
}

function withoutNative(why: string): { check: Check; native: boolean } {
  return { check: ok('tools', `${why}: the JSON protocol is used instead`), native: false };
}

function calledNatively(tool: string): Check {
  if (tool === TOOL.name) return ok('tools', 'it calls a tool and goes on with the result');
  return warning('tools', `it was asked to call ${TOOL.name} and called ${tool}`, STRONGER);
}

function calledInText(reply: LlmReply): Check {
  const reading = readReply(reply);
  if (reading.kind === 'act' && reading.calls.some((call) => call.tool === TOOL.name)) {
    return ok('tools', 'it calls tools in its text, which is understood');
  }
  return warning('tools', 'it was asked to call a tool and did not', STRONGER);
}

const STRONGER = 'Take a model that is made for tools, or try llm.function_calling: false.';

const SHAPE = {
  name: 'sum',
  schema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'], additionalProperties: false },
};

/** One reply of a given shape. `needed`: without it nothing can be done, in planning mode or without native tools. */
export async function answerInJson(model: Model, signal: AbortSignal, { needed }: { needed: boolean }): Promise<Check> {
  const client = new LlmClient(model, scratchTranscript(), signal);
  client.sendSystemPrompt('You answer with one JSON object and nothing else.');
  client.sendUserMessage('What is 2 + 3? Answer in the form {"sum": <number>}.');
  const { text, finish } = await client.getResponse({ schema: SHAPE });
  const fits =
    finish !== 'length' && extractJson(text).some((value) => typeof (value as { sum?: unknown }).sum === 'number');
  if (fits) return ok('json', 'it answers in the shape it is given');
  const message = `it was asked for JSON and said: ${text.slice(0, 80) || 'nothing'}`;
  return needed
    ? problem('json', message, 'Take a stronger model.')
    : warning('json', message, 'Take a stronger model before you switch planning on.');
}
