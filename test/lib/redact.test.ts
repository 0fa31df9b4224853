import { createRedactor } from '../../src/lib/redact.js';

const SECRET = 'Zk7/qW9+xB2mN4vR8tY6uP1';
const redact = createRedactor([SECRET, 'short-8c'], []);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a known secret is masked', () => {
  it.each([
    ['as it is', SECRET],
    ['reversed', [...SECRET].reverse().join('')],
    ['in base64', base64(SECRET)],
    ['in base64, one byte in', base64(`x${SECRET}`)],
    ['in base64, two bytes in', base64(`xy${SECRET}`)],
    ['in the URL alphabet of base64', Buffer.from(`?${SECRET}?`).toString('base64url')],
    ['in hex', Buffer.from(SECRET).toString('hex')],
    ['in capital hex', Buffer.from(SECRET).toString('hex').toUpperCase()],
    ['URL-encoded', encodeURIComponent(SECRET)],
    ['URL-encoded byte by byte', Buffer.from(SECRET).toString('hex').replace(/../g, '%$&')],
    ['but for its first and last characters', SECRET.slice(5, -5)],
    ['if it is short', 'short-8c'],
    ['if it is short and reversed', 'c8-trohs'],
    ['if it is short and in base64', base64('short-8c')],
  ])('%s', (_form, text) => {
    const masked = redact(`before <${text}> after`);
    expect(masked).toMatch(/^before <\S{0,4}\*\*\*\S{0,4}> after$/);
    expect(longestPart(text, masked)).toBeLessThan(12);
  });

  it('wherever it is cut to 12 characters', () => {
    for (let at = 0; at + 12 <= SECRET.length; at++) expect(redact(`"${SECRET.slice(at, at + 12)}"`)).toBe('"***"');
  });

  it('as often as it occurs, with one mask each', () => {
    expect(redact(`${SECRET} and ${SECRET}`)).toBe('*** and ***');
  });

  it('within a longer text in base64', () => {
    const masked = redact(base64(`Authorization: ${SECRET}\r\n`));
    expect(Buffer.from(masked.replace('***', ''), 'base64').toString()).not.toContain(SECRET.slice(3, 9));
  });

  it('inside JSON, if it needs escaping there', () => {
    const odd = 'two\nlines "quoted"';
    expect(createRedactor([odd], [])(JSON.stringify({ odd }))).toBe('{"odd":"***"}');
  });
});

/** The length of the longest piece of the form that still stands in the text. */
function longestPart(form: string, masked: string): number {
  for (let length = form.length; length > 0; length--) {
    for (let at = 0; at + length <= form.length; at++) if (masked.includes(form.slice(at, at + length))) return length;
  }
  return 0;
}

describe('a token of a well-known shape is masked', () => {
  const letters = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ3kL6';
  it.each([
    [`ghp_${letters}`, '***'],
    [`gho_${letters}`, '***'],
    [`ghs_${letters}`, '***'],
    [`github_pat_11ABCDEFG0_${letters}`, '***'],
    ['glpat-x1Y2z3A4b5C6d7E8f9G0', '***'],
    [`sk-proj-${letters}`, '***'],
    [`key=sk-${letters}`, 'key=***'],
    ['xoxb-123456789012-abcdefGHIJKL', '***'],
    ['AKIAIOSFODNN7EXAMPLE', '***'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N', '***'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/AB\nCD==\n-----END RSA PRIVATE KEY-----', '***'],
    ['-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQ', '***'],
    ['Authorization: Bearer abcdef0123456789abcd', 'Authorization: Bearer ***'],
    ['authorization: token 0123456789abcdef', 'authorization: token ***'],
    ['https://me:hunter22@example.com/x.git', 'https://me:***@example.com/x.git'],
  ])('%s', (text, expected) => {
    expect(createRedactor([], [])(text)).toBe(expected);
  });
});

describe('ordinary text is left alone', () => {
  it.each([
    'The bearer of this message asks for a token; see the sk-learn documentation.',
    'commit 3f786850e387550fdab836ed7e6dc881de23001b',
    'sk-a-long-branch-name-without-any-digits',
    'glob-pattern, gl-matrix, ghost_writer, eyJ is how a JWT begins',
    'http://localhost:8080/path?x=1 and git@github.com:owner/repo.git, mailto:a@b.c',
    'あいうえお「トークン」を設定してください',
    '550e8400-e29b-41d4-a716-446655440000',
    'PRIVATE KEY----- is part of a header',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

it("masks what the operator's own patterns match", () => {
  expect(createRedactor([], ['CUST-\\d{4}'])('for CUST-1234 and CUST-99')).toBe('for *** and CUST-99');
});

it('changes nothing the second time', () => {
  const once = redact(`Bearer ${SECRET} https://a:bcdefgh@c.de ghp_${'a1'.repeat(18)}`);
  expect(redact(once)).toBe(once);
});

it.each([
  ['prose', 'Lorem ipsum dolor sit amet, gl sk- xox eyJ :// bearer. '],
  ['beginnings of keys', '-----BEGIN PRIVATE KEY----- '],
  ['a beginning without an end', 'eyJ'],
  ['almost URLs', '://a:'],
  ['almost secrets', SECRET.slice(0, 11)],
])('reads a megabyte of %s in a moment', (_kind, piece) => {
  const text = piece.repeat(Math.ceil(1_000_000 / piece.length));
  const begun = performance.now();
  redact(text);
  expect(performance.now() - begun).toBeLessThan(1000);
});
