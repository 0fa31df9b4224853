import type { Attempt } from './attempt.js';
import { readReply } from './reply.js';
import { REPLY_SCHEMA } from './reply-schema.js';
import { converse } from './turn.js';

/** Normal mode: turn until done. Returns what the model says it achieved. */
export async function workNormally(attempt: Attempt): Promise<string> {
  return converse(attempt, {
    tools: true,
    final: true,
    schema: { name: 'reply', schema: REPLY_SCHEMA },
    read(reply) {
      const reading = readReply({
        text: reply.content,
        toolCalls: reply.toolCalls ?? [],
        finish: reply.finish ?? 'stop',
      });
      return reading.kind === 'done' ? { kind: 'answer', value: reading.comment ?? '', comment: null } : reading;
    },
  });
}
