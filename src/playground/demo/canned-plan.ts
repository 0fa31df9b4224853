import type { Job } from './jobs.js';

/** The canned model's plan for a job: change, then check. */
export function planFor({ goal, changing, checking }: Job): object {
  return {
    phase: 'planning',
    goal_understanding: { main_objective: goal, success_criteria: [checking], constraints: [], context: '' },
    task_decomposition: {
      reasoning: '',
      subtasks: [
        { id: 'task_1', description: changing, dependencies: [], estimated_complexity: 'low' },
        { id: 'task_2', description: checking, dependencies: ['task_1'], estimated_complexity: 'low' },
      ],
    },
    action_plan: {
      execution_order: ['task_1', 'task_2'],
      actions: [
        { task_id: 'task_1', action_type: 'change', tool: 'files/write_file', purpose: changing },
        { task_id: 'task_2', action_type: 'check', tool: 'files/run_tests', purpose: checking },
      ],
    },
    comment: goal,
  };
}
