import { outcomeOf, type Outcome } from '../../src/agent/outcome.js';
import type { Config } from '../../src/config/config.js';
import { ModelError, type ModelErrorKind } from '../../src/ports.js';

function outcome(kind: ModelErrorKind, details: { status?: number; retryAt?: number } = {}): Outcome {
  return outcomeOf(new ModelError(kind, 'as the server put it', { calls: 1, ...details }), {
    limits: {},
  } as Config);
}

describe('what the model’s failure means for the attempt, wherever it was asked', () => {
  test.each([
    ['unreachable', {}, 'model', 'unreachable'],
    ['rate', {}, 'model', 'rate_limit'],
    ['refused', { status: 401 }, 'credentials', 'refused_credentials'],
    ['rejected', { status: 404 }, 'model', 'unreachable'],
  ] as const)('%s %j parks it, to the blame of: %s', (kind, details, blame, id) => {
    expect(outcome(kind, details)).toMatchObject({ kind: 'parked', blame, reason: { id, what: 'model' } });
  });

  test('it is parked until the time that the server named', () => {
    expect(outcome('rate', { retryAt: 5000 })).toMatchObject({ kind: 'parked', retryAt: 5000 });
  });

  test.each([
    ['overflow', 'context_full'],
    ['rejected', 'unexpected'],
  ] as const)('%s fails it: %s', (kind, id) => {
    expect(outcome(kind, { status: 400 })).toMatchObject({
      kind: 'failed',
      reason: { id },
      error: 'as the server put it',
    });
  });
});
