import type { Access } from '../ports.js';
import { unless } from './failure.js';
import { fieldsOf, idOf, sameName, textOf } from './fields.js';
import { accessOf } from './gitlab-answers.js';
import type { GitLabApi } from './gitlab-api.js';
import { projectRoute } from './gitlab-routes.js';
import { allItems } from './pages.js';
import { remember } from './remember.js';

/** Who may do what in a project. GitLab is asked by people's numbers, which most answers tell on the way. */
export class GitLabPeople {
  private readonly numbers = new Map<string, string>();
  private readonly accesses = new Map<string, Promise<Access>>();

  constructor(private readonly api: GitLabApi) {}

  /** Remembers who wrote these notes, or changed these labels. */
  meet(answers: unknown[]): void {
    for (const answer of answers) {
      const { author, user } = fieldsOf(answer);
      const { id, username } = fieldsOf(author ?? user);
      const number = idOf(id);
      if (number && textOf(username)) this.numbers.set(String(username).toLowerCase(), number);
    }
  }

  access(path: string, login: string): Promise<Access> {
    return remember(this.accesses, `${path} ${login}`.toLowerCase(), async () => {
      const number = this.numbers.get(login.toLowerCase()) ?? (await this.lookUp(login));
      const route = `${projectRoute(path)}/members/all/${number}`;
      const member = number && (await unless(['gone'], this.api.get(route)));
      return member ? accessOf(member.data) : 'none';
    });
  }

  private async lookUp(login: string): Promise<string | undefined> {
    const users = await allItems(this.api.pages('users'), { username: login });
    return idOf(users.map(fieldsOf).find(({ username }) => sameName(textOf(username) ?? '', login))?.id);
  }
}
