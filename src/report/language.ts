export type Language = 'ja' | 'en';

/** `language: auto`: Japanese if the item's title or body contains kana, else English. */
export function languageOf(title: string, body: string): Language {
  return /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(`${title}\n${body}`) ? 'ja' : 'en';
}
