/** The parts that plans, revisions and verifications share, as JSON Schema. */

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;

const ACTION_PROPERTIES = {
  action_type: text,
  tool: { type: ['string', 'null'] },
  parameters: { type: ['object', 'null'] },
  purpose: { type: 'string', minLength: 1 },
  expected_outcome: text,
  fallback_strategy: text,
} as const;

export const ACTION_SCHEMA = {
  type: 'object',
  properties: { task_id: { type: 'string', minLength: 1 }, ...ACTION_PROPERTIES },
  required: ['task_id', 'purpose'],
} as const;

/** Verification names its actions itself, so that a `task_id` is welcome and ignored. */
export const ADDITIONAL_ACTION_SCHEMA = {
  type: 'object',
  properties: ACTION_PROPERTIES,
  required: ['purpose'],
} as const;

export const ACTION_PLAN_SCHEMA = {
  type: 'object',
  properties: { execution_order: texts, actions: { type: 'array', items: ACTION_SCHEMA } },
  required: ['actions'],
} as const;

const GOAL_PROPERTIES = { main_objective: text, success_criteria: texts, constraints: texts, context: text } as const;

export const GOAL_SCHEMA = {
  type: 'object',
  properties: { ...GOAL_PROPERTIES, main_objective: { type: 'string', minLength: 1 } },
  required: ['main_objective'],
} as const;

/** What changes of a goal; blanks change nothing. */
export const GOAL_CHANGE_SCHEMA = { type: 'object', properties: GOAL_PROPERTIES } as const;

export const DECOMPOSITION_SCHEMA = {
  type: 'object',
  properties: {
    reasoning: text,
    subtasks: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'string', minLength: 1 },
          description: text,
          dependencies: texts,
          estimated_complexity: text,
          required_tools: texts,
        },
        required: ['id'],
      },
    },
  },
} as const;

/** The same, where it may be left out: `null` for absent. */
export function optional<S extends { type: string }>(schema: S): S & { type: unknown } {
  return { ...schema, type: [schema.type, 'null'] };
}
