import type { ChecklistItem } from '../../report/checklist.js';
import type { Attempt } from '../attempt.js';
import { planView, type PlanView } from './plan.js';
import { stateOf } from './state.js';

/** The checklist comment: one for the attempt, edited in place whenever the plan or its ticks have changed. */
export async function showPlan(attempt: Attempt): Promise<void> {
  const view = planView(attempt.files.planning(), { ...stateOf(attempt) });
  if (!view) return;
  const items = (additional: boolean): ChecklistItem[] =>
    view.actions.filter((action) => action.additional === additional).map(checklistItem);
  const body = attempt.texts.checklist({ revision: view.revision, actions: items(false), additional: items(true) });
  await attempt.progress.post('checklist', 1, body);
}

function checklistItem({ id, purpose, status }: PlanView['actions'][number]): ChecklistItem {
  return { id, purpose, done: status === 'done' };
}
