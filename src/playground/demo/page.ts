import type { Playground } from '../start.js';
import type { OpenedThread } from './scene.js';

/** How bold, dim and plain text is written; without colour it is all plain. */
export interface Ink {
  bold(text: string): string;
  dim(text: string): string;
}

export function inkFor(color: boolean): Ink {
  const paint = (code: number) => (text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { bold: paint(1), dim: paint(2) };
}

/** An issue as a person sees it in the browser: who said what and when, and the labels it had. */
export function threadPage({ world }: Playground, thread: OpenedThread, ink: Ink): string {
  const { source, repository, number } = thread;
  const { title, body, author, createdAt } = world[source].item(repository, number);
  const comments = world[source].comments(repository, number);
  return [
    ink.bold(`${repository}#${number}  ${title}`) + ink.dim(`  (${source === 'github' ? 'GitHub' : 'GitLab'})`),
    ink.dim(`labels: ${labelPath({ world }, thread).join(' → ')}`),
    ...[{ author, body, createdAt, reactions: [] }, ...comments].map((comment) => commentBlock(comment, ink)),
  ].join('\n\n');
}

/** The labels one after the other; the moments in which the old one was not yet gone are left out. */
export function labelPath(
  { world }: Pick<Playground, 'world'>,
  { source, repository, number }: Pick<OpenedThread, 'source' | 'repository' | 'number'>,
): string[] {
  const history = world[source].labelHistory(repository, number);
  return history.filter(({ labels }) => labels.length === 1).map(({ labels }) => labels[0] ?? '');
}

interface Shown {
  author: string;
  body: string;
  createdAt: number;
  reactions: { content: string }[];
}

function commentBlock({ author, body, createdAt, reactions }: Shown, ink: Ink): string {
  const seen = reactions.some(({ content }) => content === 'eyes') ? '  👀' : '';
  const heading = `${ink.bold(`@${author}`)} ${ink.dim(clockTime(createdAt))}${seen}`;
  const lines = asRendered(body).split('\n');
  return [heading, ...lines.map((line) => `${ink.dim('│')} ${line}`.trimEnd())].join('\n');
}

/** Comments of HTML are not seen, and details are folded. */
export function asRendered(body: string): string {
  return body
    .replace(/<details>\s*<summary>(.*?)<\/summary>[\s\S]*?<\/details>/g, '▸ $1')
    .replace(/<!--[\s\S]*?-->/g, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function clockTime(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((n) => String(n).padStart(2, '0')).join(':');
}
