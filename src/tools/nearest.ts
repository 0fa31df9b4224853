/** The names most like the one that was asked for, best first. */
export function nearest(asked: string, names: string[], count: number): string[] {
  const wanted = asked.toLowerCase();
  return names
    .map((name) => ({ name, distance: distanceBetween(wanted, name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ name }) => name);
}

/** Levenshtein's distance; of long texts only the beginning is compared. */
function distanceBetween(a: string, b: string): number {
  const [from, to] = [a.slice(0, 100), b.slice(0, 100)];
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
