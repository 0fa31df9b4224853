export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, diagnostics: false }] },
  testSequencer: '<rootDir>/test/slowest-first.js',
  testTimeout: 30_000,
  maxWorkers: 3, // ticks wait for processes and disks: two cores have time for a third
};
