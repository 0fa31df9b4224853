/** What was answered once is not asked again; what failed is. */
export async function remember<T>(known: Map<string, Promise<T>>, key: string, ask: () => Promise<T>): Promise<T> {
  const answer = known.get(key) ?? ask();
  known.set(key, answer);
  try {
    return await answer;
  } catch (error) {
    known.delete(key);
    throw error;
  }
}
