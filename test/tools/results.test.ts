import { cutMiddle, readResult } from '../../src/tools/results.js';

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

describe('cutting in the middle', () => {
  it('leaves alone what fits', () => {
    expect(cutMiddle('x'.repeat(100), 100)).toBe('x'.repeat(100));
  });

  it('keeps three fifths from the beginning and two from the end, and says how much is missing', () => {
    const cut = cutMiddle('a'.repeat(500) + 'z'.repeat(500), 250);
    const [, head, missing, tail] = /^(a+)\n\[… (\d+) of 1000 characters left out …\]\n(z+)$/.exec(cut)!;
    expect(cut.length).toBeLessThanOrEqual(250);
    expect(head!.length + tail!.length + Number(missing)).toBe(1000);
    expect(head!.length / (head!.length + tail!.length)).toBeCloseTo(0.6, 1);
  });

  it.each([200, 201, 202, 203])('never parts the halves of a character (limit %d)', (limit) => {
    const cut = cutMiddle('😀'.repeat(500), limit);
    expect(Buffer.from(cut).toString()).toBe(cut);
  });
});
