import { localTime } from '../../src/report/format.js';
import { stripOurs, type Again, type ResultView } from '../../src/report/result-text.js';
import { texts } from '../../src/report/texts.js';
import { en } from '../../src/report/texts-en.js';
import { ja } from '../../src/report/texts-ja.js';
import type { Phase, Reason } from '../../src/report/words.js';

const AT = new Date(2025, 0, 17, 14, 30, 45).getTime();
const UUID = '0b5c1f9e-8a52-4b44-9a0e-1f2d3c4b5a69';
const MARK = `<!-- agent:v1 attempt=${UUID} kind=result n=1 -->`;
const COUNTS = { turns: 12, toolCalls: 30, tokens: 12_345, elapsedMs: 192_000 };

describe('the forms of the source documents', () => {
  test('an LLM call with a comment', () => {
    expect(texts('ja').phaseCall({ phase: 'planning', n: 2, at: AT, comment: '計画しました\n' })).toBe(
      '## ✅ 計画作成 - LLM呼び出し #2\n\n計画しました\n\n*2025-01-17 14:30:45*',
    );
  });

  test.each([
    ['pre_planning', '計画前情報収集', 'タスク内容の分析と情報収集が完了しました'],
    ['planning', '計画作成', '実行計画の作成が完了しました'],
    ['execution', 'アクション実行', 'アクション「task_3」の実行が完了しました'],
    ['reflection', 'リフレクション', '実行結果の分析が完了しました'],
    ['revision', '計画修正', '計画の修正が完了しました'],
    ['verification', '検証', '実装の検証が完了しました'],
    ['replan_decision', '再計画判断', '再計画の判断が完了しました'],
  ] as [Phase, string, string][])('%s without a comment', (phase, name, message) => {
    expect(texts('ja').phaseCall({ phase, n: 5, at: AT, taskId: 'task_3', comment: ' ' })).toBe(
      `## ✅ ${name} - LLM呼び出し #5 完了\n\n${message}\n\n*2025-01-17 14:30:45*`,
    );
  });

  test('a tool that failed', () => {
    expect(texts('ja').toolError({ tool: 'fs/write', error: 'EEXIST', at: AT, taskId: 'task_3' })).toBe(
      '## ❌ エラー発生 - fs/write\n\n**エラー内容**: EEXIST\n\n**発生したアクション**: task_3\n\n*2025-01-17 14:30:45*',
    );
  });

  test('an LLM call that failed speaks of a retry only while one follows', () => {
    const failure = { phase: 'verification' as const, error: '503', at: AT };
    expect(texts('ja').callError({ ...failure, retrying: true })).toBe(
      '## ⚠️ LLM呼び出しエラー - 検証\n\n**エラー内容**: 503\n\nリトライを試みます...\n\n*2025-01-17 14:30:45*',
    );
    expect(texts('ja').callError({ ...failure, retrying: false })).toBe(
      '## ⚠️ LLM呼び出しエラー - 検証\n\n**エラー内容**: 503\n\n*2025-01-17 14:30:45*',
    );
  });

  test('what was inherited', () => {
    expect(texts('ja').inherited({ uuid: UUID, at: AT })).toBe(
      '📋 **過去のコンテキストを引き継ぎました**\n\n- 引き継ぎ元: #0b5c1f9e\n- 前回処理日時: 2025-01-17 14:30:45\n' +
        '- 引き継ぎ内容: 最終要約\n\n過去の処理内容を考慮して、現在の要求に対応します。',
    );
  });
});

describe('the checklist', () => {
  const actions = [
    { id: 'task_1', purpose: 'read\nthe code', done: true },
    { id: 'task_2', purpose: 'fix it', done: false },
  ];

  test('shows one box per action and the progress', () => {
    expect(texts('en').checklist({ revision: 0, actions, additional: [] })).toBe(
      '## 📋 Execution Plan\n\n- [x] **task_1**: read the code\n- [ ] **task_2**: fix it\n\n*Progress: 1/2 (50%)*',
    );
  });

  test('names revisions and the work that verification added, in both languages alike', () => {
    const additional = [{ id: 'task_3', purpose: 'test it', done: false }];
    for (const language of ['ja', 'en'] as const) {
      const text = texts(language).checklist({ revision: 2, actions, additional });
      expect(text).toContain('## 📋 Execution Plan (Revised #2)\n\n### Original Plan (Completed)\n\n- [x] **task_1**');
      expect(text).toContain('### Additional Work (From Verification)\n\n- [ ] **task_3**: test it');
      expect(text).toContain('1/3 (33%)');
    }
  });
});

describe('the progress comment', () => {
  const view = { attempt: UUID, counts: COUNTS, history: ['first', 'second'], updatedAt: AT };

  test('shows phase, message, counts, history and the time', () => {
    const text = texts('ja').progress({ ...view, state: { kind: 'working', phase: 'execution' }, message: '調査中' });
    expect(text).toMatch(/#0b5c1f9e[^]*アクション実行[^]*調査中[^]*12,345[^]*3分12秒[^]*<details>[^]*first[^]*second/);
    expect(text).toMatch(/<\/details>\n\n\*最終更新: 2025-01-17 14:30:45\*$/);
  });

  test('says what happens next in every state', () => {
    const rate: Reason = { id: 'rate_limit', what: 'model' };
    const said = (state: Parameters<ReturnType<typeof texts>['progress']>[0]['state']) =>
      texts('en').progress({ ...view, state });
    expect(said({ kind: 'parked', reason: rate, until: AT })).toContain(localTime(AT));
    expect(said({ kind: 'parked', reason: rate })).toContain('The next tick tries again.');
    expect(said({ kind: 'interrupted' })).toContain('the work will go on with the next tick');
    expect(said({ kind: 'finished' })).toContain('the result is in the comment below');
    expect(said({ kind: 'paused', reason: { id: 'command', by: 'alice' } })).toContain('alice asked for it.');
    expect(said({ kind: 'stopped', reason: { id: 'merged' } })).toContain('It was merged.');
    expect(said({ kind: 'failed' })).toContain('**Failed**');
    expect(said({ kind: 'question' })).toContain('Waiting for an answer');
  });

  test('keeps the newest of a long history and says how much is left out', () => {
    const history = Array.from({ length: 50 }, (_, at) => `entry ${at} ${'x'.repeat(1000)}`);
    const text = texts('en').progress({ ...view, state: { kind: 'working' }, history });
    expect(text).toContain('entry 49');
    expect(text).not.toContain('entry 20 ');
    expect(text).toMatch(/\*\d+ earlier entries are left out\*/);
    expect(text.length).toBeLessThan(25_000);
  });
});

describe('the result', () => {
  const view: ResultView = {
    done: 'Fixed the parser.',
    look: ['https://example.com/pull/3'],
    verification: { kind: 'verified', checks: [{ command: 'npm test', exitCode: 0 }] },
    counts: COUNTS,
  };

  test('says what was done, what to look at, what was verified, and what it took', () => {
    expect(texts('en').result(view)).toBe(
      '## Completed\n\nFixed the parser.\n\n### What to look at\n\n- https://example.com/pull/3\n\n' +
        '### Verification\n\nVerified.\n\n- `npm test` — exit code 0\n\n' +
        '*Turns: 12 · tool calls: 30 · tokens: 12,345 · time: 3 min 12 s*',
    );
    expect(texts('ja').result(view)).toMatch(/^## 実行完了\n\n/);
  });

  test.each([
    ['not verified', { ...view, verification: { kind: 'not_verified', checks: [], missing: ['no test'] } }, 'no test'],
    [
      'a failed check',
      { ...view, verification: { kind: 'verified', checks: [{ command: 'x', exitCode: 1 }] } },
      'exit code 1',
    ],
    [
      'a check that did not run',
      { ...view, verification: { kind: 'verified', checks: [{ command: 'x', exitCode: null }] } },
      'could not be run',
    ],
  ] as [string, ResultView, string][])('%s is never reported as a success', (_, unverified, detail) => {
    expect(texts('en').result(unverified)).not.toMatch(/## Completed|Verified\.\n/);
    expect(texts('en').result(unverified)).toContain('Not verified');
    expect(texts('en').result(unverified)).toContain(detail);
    expect(texts('ja').result(unverified)).toMatch(/^## 実行結果（未検証）/);
  });

  test.each<[string, Again, string]>([
    ['where the thread listens', { by: 'comment' }, 'Comment "continue" to continue.'],
    ['where it does not', { by: 'label', botLabel: 'go' }, 'To go on, put the label `go` on again.'],
  ])('over budget: what is left, and how to continue %s', (_, again, how) => {
    const overBudget = { reason: { id: 'max_calls', limit: 200 } as const, left: ['the tests'], again };
    const text = texts('en').result({ ...view, verification: { kind: 'unchecked' }, overBudget });
    expect(text).toMatch(/^## Partial result/);
    expect(text).toMatch(/200 LLM calls[^]*Not verified separately[^]*- the tests\n\n/);
    expect(text).toContain(`- the tests\n\n${how}`);
  });

  test.each(['ja', 'en'] as const)('is had back without heading, marker and statistics (%s)', (language) => {
    const spent = { reason: { id: 'max_calls', limit: 1 }, left: [], again: { by: 'comment' } } as const;
    for (const overBudget of [undefined, { ...spent, left: [] }]) {
      const text = texts(language).result({ ...view, ...(overBudget && { overBudget }) });
      const stripped = stripOurs(`${text}\n\n${MARK}`.replaceAll('\n', '\r\n'));
      expect(stripped).toMatch(/Fixed the parser\.[^]*npm test/);
      expect(stripped).not.toMatch(/^## |agent:v1|12,345/m);
    }
  });

  test('stripping leaves what is not ours', () => {
    expect(stripOurs('## Completed work\n\ntext')).toBe('## Completed work\n\ntext');
  });
});

describe('the failure', () => {
  const view = {
    reason: { id: 'unexpected' } as const,
    tried: ['read the file', 'ran the tests'],
    step: 'execution of task_2',
    error: 'Error: ```boom```',
    saved: [],
    again: { by: 'label', botLabel: 'coding agent' } as const,
  };

  test('says what was tried, the step, the real error, what was saved and how to try again', () => {
    const text = texts('ja').failure(view);
    expect(text).toMatch(/^## エラーが発生しました\n\n/);
    expect(text).toMatch(/- read the file\n- ran the tests[^]*task_2[^]*````\nError: ```boom```\n````/);
    expect(text).toMatch(/保存された変更はありません。[^]*`coding agent` ラベルを付け直して/);
  });

  test('a follow-up is tried again by a comment', () => {
    expect(texts('en').failure({ ...view, again: { by: 'comment' } })).toMatch(/Reply in this thread/);
  });
});

describe('notices', () => {
  test.each(['ja', 'en'] as const)('each says why and how to go on (%s)', (language) => {
    const said = texts(language);
    const botLabel = 'coding agent';
    expect(said.paused({ reason: { id: 'paused_label' }, pausedLabel: 'zzz' })).toMatch(/`\/agent resume`[^]*`zzz`/);
    expect(said.stopped({ reason: { id: 'expired', days: 30 }, botLabel })).toMatch(/30[^]*`coding agent`/);
    expect(said.question({ questions: ['a?', 'b?'], comment: 'hm' })).toMatch(/hm[^]*1\. a\?\n2\. b\?/);
    expect(said.closing({ why: 'completion', botLabel })).toMatch(/`coding agent`/);
    expect(said.closing({ why: 'timeout', hours: 24, botLabel })).toMatch(/24[^]*`coding agent`/);
    expect(said.closing({ why: 'maximum', count: 10, botLabel })).toMatch(/10[^]*`coding agent`/);
  });

  test('no English sentence is left in the Japanese catalogue, and none is empty', () => {
    for (const [key, word] of Object.entries(ja)) {
      if (typeof word !== 'string' || key === 'language') continue;
      expect(word).toMatch(/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u);
      expect(en[key as keyof typeof en]).not.toBe('');
    }
  });
});
