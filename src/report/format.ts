import type { Language } from './language.js';

/** `YYYY-MM-DD HH:MM:SS` on the operator's own clock. */
export function localTime(ms: number): string {
  const at = new Date(ms);
  const day = [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(twoDigits).join('-');
  return `${day} ${[at.getHours(), at.getMinutes(), at.getSeconds()].map(twoDigits).join(':')}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

export function shortUuid(uuid: string): string {
  return uuid.slice(0, 8);
}

/** `12,345` in every locale. */
export function grouped(number: number): string {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ',');
}

const UNITS = {
  ja: { day: '日', hour: '時間', minute: '分', second: '秒', gap: '' },
  en: { day: ' d', hour: ' h', minute: ' min', second: ' s', gap: ' ' },
} as const;

/** The two largest units that matter: `3分12秒`, `2 h 5 min`. */
export function duration(ms: number, language: Language): string {
  const unit = UNITS[language];
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), unit.day],
    [Math.floor(seconds / 3600) % 24, unit.hour],
    [Math.floor(seconds / 60) % 60, unit.minute],
    [seconds % 60, unit.second],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return `0${unit.second}`;
  const shown = parts.slice(first, first + 2).filter(([amount]) => amount > 0);
  return shown.map(([amount, name]) => `${amount}${name}`).join(unit.gap);
}

/** The text as a code block, with a fence longer than any inside. */
export function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** The text on one line, as inline code. */
export function inlineCode(text: string): string {
  const line = oneLine(text);
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map((run) => run[0].length));
  const ticks = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${line}\`` : `${ticks} ${line} ${ticks}`;
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
