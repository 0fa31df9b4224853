/** よね at the end makes a question of it. */
const SOFTLY = '(?:よ(?!ね)|[ねわなでー〜])*';

/** What may follow a Japanese keyword without changing what it says: です, しました, やで … */
export const JAPANESE_ENDING = `(?: ?(?:です|でーす|でした|だ|や|っす|しました|いたしました|致しました|ございます|ございました|とします|といたします))?${SOFTLY}`;

const MANNER = '(?:(?:very|really|so|absolutely|simply|just|all|now) )*';
const GOOD =
  'good|great|nice|fine|cool|excellent|perfect|awesome|amazing|wonderful|fantastic|brilliant|superb|lovely|neat|' +
  'beautiful|splendid|outstanding|ok|okay';
const DEED = 'help|work|fix|fixes|job|effort|support|response|reply|update|changes?|pr|patch|turnaround|explanation';
const THING = 'it|this|that|everything|all|the (?:fix|change|result|pr|code|patch)';
const SETTLED = 'done|complete|completed|fixed|resolved|solved|finished|set|happy|satisfied|right|correct';

const ENGLISH = [
  `(?:many |much |a million )?(?:thanks|thank (?:you|u)|thx|thnx|tnx|tks|ty|tysm|cheers)(?: (?:(?:so|very) much|kindly|a (?:lot|bunch|ton|million)|again|all|both|guys|team|folks|everyone|mate|man|bot|agent))*` +
    `(?: for (?:(?:the|your|this|that|all) )*(?:(?:quick|fast|swift|prompt|great|good|nice|excellent|hard) )*(?:${DEED}|this|that|it|everything))?` +
    `(?: for (?:fixing|doing|handling|sorting|solving) (?:${THING})(?: out)?)?`,
  `(?:very )?much appreciated|(?:i |we )?(?:really )?appreciate (?:it|this|that|(?:the|your) (?:${DEED}))`,
  `${MANNER}(?:${GOOD})(?: (?:job|work|one|stuff|solution|fix)(?: done)?)?`,
  'okey|alright|all right|kk|well done|you rock|love it|i love it|wow|yay|hooray|hurray|got it|understood|noted',
  `lgtm|(?:(?:${THING}) )?looks? ${MANNER}(?:${GOOD}|right|correct)(?: (?:to me|now|here))*`,
  `(?:(?:${THING}) )?(?:now )?(?:works|worked|is working)(?: (?:now|perfectly|great|fine|well|nicely|for me|like a charm|as expected))*`,
  `(?:it's|it is|that's|that is|this is|everything's|everything is|all is|we're|we are|i'm|i am|that was) ${MANNER}(?:${GOOD}|${SETTLED}|it|all)(?: (?:with (?:it|this|that)|now|for me|here))*`,
  "(?:(?:that's|this is) )?(?:exactly|just) what i (?:wanted|needed|meant)|you(?:'re| are) (?:the best|awesome|amazing|great|a star)",
  `all (?:${GOOD}|${SETTLED}|clear)|approved|accepted|confirmed|merged|tested|verified|fixed|solved|resolved|finished|completed`,
  '(?:problem|issue) (?:solved|resolved|fixed)|task (?:is )?(?:done|completed?|finished)|no (?:more |further )?(?:issues|problems|questions|objections)(?: (?:from me|here|found))?',
  '(?:hi|hello|hey|dear)(?: (?:all|team|folks|guys|everyone|there|bot|agent))?|have a (?:nice|good|great) (?:day|evening|weekend|one)',
  '(?:kind |best |warm )?regards|all the best|bye|and(?= )|(?<=, ?)(?:agent|bot|team|all|folks|guys|everyone)',
].map((phrase) => `(?<![a-z0-9])(?:${phrase})(?![a-z0-9])`);

const THANKS = 'ありがと|有難|有り難|感謝|助か|お疲れ|おつかれ|おおきに|サンキュ|さんきゅ|あざ';
const VERY =
  '(?:どうも|本当に|ほんとうに|ほんとに|ほんまに?|誠に|まことに|大変|とても|すごく|めっちゃ|めちゃくちゃ|いつも|早速|迅速に|丁寧に)';
const WORK = '(?:対応|修正|確認|回答|返信|説明|調査|作業|実装|協力|連絡|報告|レビュー|サポート)';
const GIVEN = '(?:して)?(?:いただき|頂き|くださり|下さり|くださって|くれて)(?:まして)?|を';
const TAIL = `(?:です|でした|だ|や|やん|っす|そうです)?${SOFTLY}`;

const JAPANESE = [
  `${VERY}`,
  `ありがと[うーぉお〜]*(?:ございます|ございまーす|ございました|ござます|御座います|御座いました)?(?:です|でした|っす)?っ?${SOFTLY}`,
  '有り?難う(?:ございます|ございました|御座います|御座いました)?',
  `(?:あざっ?す|あざます|あざました|さんきゅー?|サンキュー?|おおきに)${TAIL}`,
  '感謝(?:です|します|しています|しております|いたします|致します|申し上げます|感激です)?',
  `助か(?:りました|ります|った|ってます|っています)${TAIL}`,
  'お疲れ(?:様|さま)?(?:です|でした)?|おつかれ(?:様|さま)?(?:です|でした)?|おつです',
  `(?:(?:素早い|早い|迅速な|早速の|丁寧な|素晴らしい) ?)?(?:ご|御)?${WORK}(?:${GIVEN})?(?=[、, ]*${VERY}?(?:${THANKS}))`,
  `(?:完璧|完ぺき|最高|素敵|お?見事|ばっちり|バッチリ|パーフェクト|グッド|ナイス|グレート|さすが|流石|大丈夫)${TAIL}`,
  `(?:素晴らしい|すばらしい|すごい|凄い|いい|良い|よい|よかった|良かった)(?:感じ|仕事)?${TAIL}`,
  `(?:特に)?問題[はもが]?(?:ありません(?:でした)?|ない(?:です)?|無い(?:です)?|なし(?:です)?|無し(?:です)?|なさそう(?:です)?|なかった(?:です)?)${SOFTLY}`,
  '(?:これで|こちらで|以上で|全て|すべて|全部|ちゃんと|無事に?|正しく|正常に|期待通り(?:に|です)?|うまく|きちんと)',
  `(?:(?:動作|内容|修正|結果|変更|pr)[をも]?)?確認(?:しました|できました|いたしました|致しました|済み(?:です)?|した|ok(?:です)?)${SOFTLY}`,
  `(?:動きました|動いてい?ます|動作しました|動作してい?ます|直りました|直ってい?ました|直ってい?ます|治りました|解決しました|できました|できてい?ます|うまくいきました)${SOFTLY}`,
  `(?:了解|りょうかい|把握|承知|承認|ok|おk|おけ|おっけー?|オッケー?|オーケー?)${JAPANESE_ENDING}`,
  `${WORK}(?=完了)`,
  'かしこまりました|畏まりました|(?:わか|分か|判)りました|承認(?:します|いたします)',
  '完了で(?=(?:大丈夫|問題|ok|いい|良い|よい))|完了(?:扱い)?(?:で|と|に)?します',
  'こんにちは|こんばんは|おはよう(?:ございます)?|お世話になって(?:い|お)ります|(?<=^|[ 、。!])(?:それ)?では|失礼(?:します|いたします)|以上(?:です)?',
  '(?:エージェント|ボット|bot|皆|みな)(?:さん|様|さま)?',
];

const SIGNS = [
  '[\\s!.,、。・"“”\'*_#()「」『』&〜ー–—-]',
  '@[\\w.-]+(?:\\[bot\\])?',
  '[👍🙏🎉✅😊😄😀😁😃😆🙂😉😍🥰🤩😎☺❤💖💕💯👏🙌👌🤝✨⭐🌟🚀🎊🥳🙇💪🆗⭕🍻🍺🫡🤗👋✔☑💐🙆♥♡♪♂♀\\u{1f3fb}-\\u{1f3ff}]',
  ':(?:\\+1|thumbsup|tada|heart|rocket|pray|clap|smile|smiley|ok_hand|raised_hands|100|white_check_mark|sparkles|bow|star|blush):',
  "[:;=]'?-?[)d](?![a-z])|<3|\\^_*\\^|m\\( ?_ ?_ ?\\)m|\\+1(?![0-9])",
];

/**
 * Phrases (patterns over folded text) that say thanks or approval, or nothing at all. A comment made of
 * these alone asks for nothing. "Yes" and はい are missing on purpose: they may accept an offer of more work.
 */
export const APPROVALS = [...ENGLISH, ...JAPANESE, ...SIGNS];
