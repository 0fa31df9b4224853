import { readCommand } from '../../src/task/thread-command.js';

test.each([
  ['/agent pause', 'pause', ''],
  ['/agent resume', 'resume', ''],
  ['/AGENT Stop', 'stop', ''],
  ['  /agent   retry  ', 'retry', ''],
  ['\n\r\n/agent status\r\n', 'status', ''],
  ['/agent stop\n\nThanks, this is no longer needed.', 'stop', 'Thanks, this is no longer needed.'],
])('%j is the command %s', (body, command, rest) => {
  expect(readCommand(body)).toEqual({ command, rest });
});

test.each([
  '',
  '/agent',
  '/agent explode',
  '/agent stop now',
  '/agentstop',
  'please /agent stop',
  'hello\n/agent stop',
  '> /agent stop',
  '`/agent stop`',
  '```\n/agent stop\n```',
  '    /agent stop',
  '\t/agent stop',
  '/agent\nstop',
  '- /agent stop',
])('%j is none', (body) => {
  expect(readCommand(body)).toBeNull();
});
