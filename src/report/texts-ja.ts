import type { Closing, Counterpart, Phase, Reason, Words } from './words.js';

export const ja: Words = {
  language: 'ja',
  phase: {
    pre_planning: '計画前情報収集',
    planning: '計画作成',
    execution: 'アクション実行',
    reflection: 'リフレクション',
    revision: '計画修正',
    verification: '検証',
    replan_decision: '再計画判断',
  },
  phaseDone,
  reason,
  inheritedPrefix: '前回の処理要約: ',
  inherited: (from, time) =>
    [
      '📋 **過去のコンテキストを引き継ぎました**',
      '',
      `- 引き継ぎ元: #${from}`,
      `- 前回処理日時: ${time}`,
      '- 引き継ぎ内容: 最終要約',
      '',
      '過去の処理内容を考慮して、現在の要求に対応します。',
    ].join('\n'),
  cutNote: (characters) => `*…（長すぎるため、ここで ${characters} 文字を省略しました）…*`,

  callHeading: (phase, n) => `## ✅ ${phase} - LLM呼び出し #${n}`,
  callDoneHeading: (phase, n) => `## ✅ ${phase} - LLM呼び出し #${n} 完了`,
  toolErrorHeading: (tool) => `## ❌ エラー発生 - ${tool}`,
  callErrorHeading: (phase) => `## ⚠️ LLM呼び出しエラー - ${phase}`,
  errorLabel: '**エラー内容**',
  actionLabel: '**発生したアクション**',
  retrying: 'リトライを試みます...',

  progressHeading: (attempt) => `## 🤖 作業状況 (#${attempt})`,
  working: (phase) => (phase ? `**作業中です** — ${phase}` : '**作業中です**'),
  parked: (why, until) =>
    `**待機中です** — ${why}${until ? `${until} 以降に再開します。` : '次回の実行で再開を試みます。'}`,
  interrupted: '**中断しました** — 次回の実行で続きから再開します。',
  finished: '**終了しました** — 結果は下のコメントをご覧ください。',
  paused: (why) => `**一時停止しました** — ${why}`,
  stopped: (why) => `**停止しました** — ${why}`,
  failed: '**失敗しました** — 詳細は下のコメントをご覧ください。',
  asking: '**回答をお待ちしています** — 質問は下のコメントをご覧ください。',
  counts: ({ turns, toolCalls, tokens, elapsed }) =>
    `ターン ${turns} ・ ツール呼び出し ${toolCalls} ・ トークン ${tokens} ・ 経過時間 ${elapsed}`,
  history: (entries) => `履歴（${entries}件）`,
  olderLeftOut: (entries) => `*これより前の${entries}件は省略しました*`,
  lastUpdate: (time) => `*最終更新: ${time}*`,
  planProgress: (done, total, percent) => `*進捗: ${done}/${total} (${percent}%)*`,

  resultHeading: '## 実行完了',
  unverifiedHeading: '## 実行結果（未検証）',
  partialHeading: '## 途中結果（上限に達しました）',
  nothingSaid: '作業を終了しました。エージェントからの説明はありません。',
  look: '### 確認していただきたいもの',
  verification: '### 検証',
  check: (command, exitCode) =>
    `- ${command} — ${exitCode === null ? '実行できませんでした' : `終了コード ${exitCode}`}`,
  verified: '検証済みです。',
  notVerified: '⚠️ **検証できていません。** 次の点が不足しています。',
  notChecked: '個別の検証は行っていません。',
  limitReached: (why) => `⚠️ **上限に達したため、途中で終了しました。** ${why}`,
  left: '### 残っている作業',
  leftUnknown: '残りの作業は確定できませんでした。上の内容をご確認ください。',
  toContinue: '「続けて」とコメントすると、続きから作業します。',
  statistics: ({ turns, toolCalls, tokens, elapsed }) =>
    `*ターン: ${turns} ・ ツール呼び出し: ${toolCalls} ・ トークン: ${tokens} ・ 時間: ${elapsed}*`,

  failureHeading: '## エラーが発生しました',
  tried: '### 試したこと',
  step: '### 失敗した段階',
  error: '### エラー内容',
  saved: '### 保存されたもの',
  nothingSaved: '保存された変更はありません。',
  retry: '### もう一度試すには',
  tryAgain: (label) => `\`${label}\` ラベルを付け直してください。補足があれば先にコメントで教えてください。`,
  tryAgainByComment: 'コメントで返信してください。その内容を踏まえてもう一度取り組みます。',

  pausedHeading: '## 一時停止しました',
  toResume: (label) =>
    `再開するには、\`/agent resume\` とコメントするか、\`${label}\` ラベルを外してください。ここまでの作業は保存されています。`,
  stoppedHeading: '## 停止しました',
  toGoOn: (label) => `続けるには、\`${label}\` ラベルを付け直してください。`,
  questionHeading: '## 質問があります',
  questionIntro: '作業を続けるために、次の点を教えてください。',
  toAnswer: 'このスレッドにコメントで回答すると、続きから作業します。',
  closingHeading: '## 対応を終了しました',
  closing,
};

function phaseDone(phase: Phase, taskId: string | undefined): string {
  switch (phase) {
    case 'pre_planning':
      return 'タスク内容の分析と情報収集が完了しました';
    case 'planning':
      return '実行計画の作成が完了しました';
    case 'execution':
      return taskId ? `アクション「${taskId}」の実行が完了しました` : 'アクションの実行が完了しました';
    case 'reflection':
      return '実行結果の分析が完了しました';
    case 'revision':
      return '計画の修正が完了しました';
    case 'verification':
      return '実装の検証が完了しました';
    case 'replan_decision':
      return '再計画の判断が完了しました';
  }
}

function reason(reason: Reason): string {
  switch (reason.id) {
    case 'label_removed':
      return '処理中のラベルが外されました。';
    case 'unassigned':
      return '担当から外されました。';
    case 'closed':
      return 'この項目がクローズされました。';
    case 'merged':
      return 'マージされました。';
    case 'item_gone':
      return 'この項目が見つからなくなりました（削除または移動）。';
    case 'command':
      return reason.by ? `${reason.by} さんの指示を受けました。` : '指示を受けました。';
    case 'paused_label':
      return '一時停止のラベルが付けられました。';
    case 'signal_file':
      return '管理者がすべての作業を一時停止しています。';
    case 'expired':
      return `一時停止のまま${reason.days}日が過ぎました。`;
    case 'max_calls':
      return `LLM呼び出しの上限（${reason.limit}回）を使い切りました。`;
    case 'max_tokens':
      return `このタスクのトークン上限（${reason.limit}）を使い切りました。`;
    case 'max_minutes':
      return `このタスクの制限時間（${reason.limit}分）を超えました。`;
    case 'unreadable_replies':
      return `モデルの応答を${reason.count}回続けて解釈できませんでした。`;
    case 'same_error':
      return `ツール ${reason.tool} が同じ結果を${reason.times}回繰り返し、先に進めませんでした。`;
    case 'context_full':
      return '履歴を要約しても、モデルのコンテキスト長に収まりませんでした。';
    case 'mcp_down':
      return `MCPサーバー ${reason.server} を起動できませんでした。`;
    case 'unreachable':
      return `${counterpart(reason.what)}に接続できません。`;
    case 'rate_limit':
      return `${counterpart(reason.what)}の利用回数の制限に達しました。`;
    case 'refused_credentials':
      return `${counterpart(reason.what)}に認証を拒否されました。管理者による設定の確認が必要です。`;
    case 'daily_tokens':
      return `本日のトークン上限（${reason.limit}）を使い切りました。`;
    case 'vanished':
      return '作業が3回続けて途中で途切れ、進展がありませんでした。';
    case 'unexpected':
      return '予期しないエラーが発生しました。';
  }
}

function counterpart(what: Counterpart): string {
  return what === 'model' ? 'モデル' : 'GitHub/GitLab';
}

function closing(closing: Closing): string {
  switch (closing.why) {
    case 'completion':
      return '完了のコメントを確認しました。ありがとうございました。';
    case 'timeout':
      return `${closing.hours}時間コメントがなかったため、対応を終了します。`;
    case 'maximum':
      return `追加コメントへの対応が上限（${closing.count}回）に達したため、対応を終了します。`;
  }
}
