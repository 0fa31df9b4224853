const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;

/** How many columns of a terminal the text takes: kana, kanji and emoji take two each. */
export function widthOfText(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

/** The text, cut at its end to fit. */
export function cutTo(text: string, width: number): string {
  if (widthOfText(text) <= width) return text;
  let kept = '';
  let left = width - 1;
  for (const character of text) {
    left -= widthOf(character);
    if (left < 0) break;
    kept += character;
  }
  return width > 0 ? `${kept}…` : '';
}

export function padTo(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const gap = ' '.repeat(Math.max(0, width - widthOfText(text)));
  return align === 'right' ? gap + text : text + gap;
}

function widthOf(character: string): number {
  if (/\p{Mn}/u.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
