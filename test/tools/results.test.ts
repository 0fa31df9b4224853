import { readResult } from '../../src/tools/results.js';

const LIMIT = 1000;

describe('what the model is shown of a result', () => {
  it('is its texts, joined with line breaks', () => {
    const content = ['one', 'two'].map((text) => ({ type: 'text', text }));
    expect(readResult({ content, structuredContent: { same: 'again' } }, LIMIT)).toEqual({
      ok: true,
      output: 'one\ntwo',
    });
  });

  it('is the structured content only where there is no other', () => {
    expect(readResult({ content: [], structuredContent: { a: 1 } }, LIMIT)).toEqual({ ok: true, output: '{"a":1}' });
    expect(readResult({ content: [] }, LIMIT)).toEqual({ ok: true, output: '' });
  });

  it('names what is no text with type and size', () => {
    const data = Buffer.alloc(100).toString('base64');
    const content = [
      { type: 'image', mimeType: 'image/png', data },
      { type: 'audio', mimeType: 'audio/wav', data },
      { type: 'resource', resource: { uri: 'file:///a.bin', mimeType: 'application/zip', blob: data } },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'embedded text' } },
      { type: 'resource_link', name: 'a', uri: 'file:///a' },
      { type: 'hologram' },
    ];
    expect(readResult({ content }, LIMIT)).toEqual({
      ok: true,
      output: [
        '[image image/png, 100 bytes]',
        '[audio audio/wav, 100 bytes]',
        '[resource file:///a.bin application/zip, 100 bytes]',
        'embedded text',
        '[resource a, file:///a]',
        '[content of type "hologram", not shown]',
      ].join('\n'),
    });
  });
});
