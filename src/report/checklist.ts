import { oneLine } from './format.js';
import type { Words } from './words.js';

export interface ChecklistItem {
  id: string;
  purpose: string;
  done: boolean;
}

/** A plan as people see it. */
export interface ChecklistView {
  /** How often it was revised; 0: never. */
  revision: number;
  actions: ChecklistItem[];
  /** What verification added. */
  additional: ChecklistItem[];
}

/** The checklist comment; its headings are the same in every language. */
export function checklist(words: Words, { revision, actions, additional }: ChecklistView): string {
  const heading = `## 📋 Execution Plan${revision > 0 ? ` (Revised #${revision})` : ''}`;
  const body =
    additional.length === 0
      ? [boxes(actions)]
      : ['### Original Plan (Completed)', boxes(actions), '### Additional Work (From Verification)', boxes(additional)];
  return [heading, ...body, progressLine(words, [...actions, ...additional])].join('\n\n');
}

function boxes(items: ChecklistItem[]): string {
  return items.map(({ id, purpose, done }) => `- [${done ? 'x' : ' '}] **${id}**: ${oneLine(purpose)}`).join('\n');
}

function progressLine(words: Words, items: ChecklistItem[]): string {
  const done = items.filter((item) => item.done).length;
  return words.planProgress(done, items.length, items.length === 0 ? 100 : Math.floor((done / items.length) * 100));
}
