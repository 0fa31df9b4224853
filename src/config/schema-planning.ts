import { count, flag, fraction, section } from './schema-node.js';

export const planningSchema = section('Planning mode', 'Plan, act, reflect, verify, instead of one plain loop.', {
  enabled: flag(false, 'Work in planning mode.'),
  pre_planning: section('Pre-planning', 'Understand the request before planning.', {
    enabled: flag(true, 'Gather what is needed with tools first.'),
  }),
  max_subtasks: count(30, 'The most subtasks of a plan.'),
  reflection: section('Reflection', 'Look back while working.', {
    enabled: flag(true, 'Reflect.'),
    trigger_interval: count(5, 'After so many actions.'),
    trigger_on_error: flag(true, 'And after an action that failed.'),
    max_count: count(3, 'At most so often.', { minimum: 0 }),
  }),
  revision: section('Revision', 'Change the plan.', {
    max_revisions: count(3, 'At most so often.', { minimum: 0 }),
  }),
  verification: section('Verification', 'Check the work against the success criteria.', {
    enabled: flag(true, 'Verify.'),
    max_rounds: count(2, 'Rounds of additional work.'),
  }),
  replanning: section('Replanning', 'What to do about an action that failed.', {
    enabled: flag(true, 'Ask the model whether to plan anew.'),
    min_confidence: fraction(0.5, 'Below this confidence a replan decision is not followed.'),
    max_action_retries: count(3, 'Retries of one action.', { minimum: 0 }),
    max_total_replans: count(10, 'Replan decisions in one attempt.', { minimum: 0 }),
  }),
  llm_call_comments: section('LLM call comments', 'A note in the thread after every LLM call of a phase.', {
    enabled: flag(true, 'Write them.'),
  }),
});
