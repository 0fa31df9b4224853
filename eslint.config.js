import js from '@eslint/js';
import tseslint from 'typescript-eslint';

const GLOBAL_CLOCK =
  'Time is an argument (`Clock` in src/ports.ts): logic that reads the global clock cannot be tested.';
const GLOBAL_PROCESS =
  'Environment, folder and streams are arguments (`CommandIo`): only src/cli.ts reads the process.';

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'src/config/validator.generated.*'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      // A promise nobody waits for is *the* bug of a program that exits when its work is done; `void` says it is meant.
      '@typescript-eslint/no-floating-promises': 'error',
      // Our interfaces are plain objects of functions; nothing but a few classes knows `this`.
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/prefer-promise-reject-errors': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      eqeqeq: 'error',
      'max-lines': ['error', { max: 350 }],
    },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector: 'ExportDefaultDeclaration',
          message: 'Named exports: a thing has one name, here and where it is used.',
        },
        {
          selector: 'ExportAllDeclaration',
          message: 'No barrels: import a thing from the file that holds it.',
        },
        {
          selector: 'Program > VariableDeclaration[kind="let"]',
          message: 'Nothing mutable at module level: two users in one process would share it.',
        },
        { selector: 'CallExpression[callee.object.name="Date"][callee.property.name="now"]', message: GLOBAL_CLOCK },
        { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: GLOBAL_CLOCK },
        {
          selector:
            'MemberExpression[object.name="process"][property.name=/^(env|cwd|stdin|stdout|stderr|exit|argv)$/]',
          message: GLOBAL_PROCESS,
        },
      ],
      'no-restricted-imports': [
        'error',
        { name: 'node:process', message: GLOBAL_PROCESS },
        {
          name: 'axios',
          message: 'HTTP goes through fetch, so that proxies, retries and redirects are decided in one place.',
        },
      ],
    },
  },
  {
    files: ['src/cli.ts', 'src/lib/clock.ts', 'src/playground/file-server.ts'],
    rules: { 'no-restricted-syntax': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        {
          object: 'jest',
          property: 'mock',
          message: 'Nothing we own is mocked: use the real thing or the playground.',
        },
        { object: 'it', property: 'skip', message: 'A test runs, or it is deleted.' },
        { object: 'it', property: 'only', message: 'It would silence all the others.' },
      ],
      // Bodies of answers and thrown values are looked at as they come.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      'max-lines': ['error', { max: 500 }],
    },
  },
  {
    files: ['**/*.js', '**/*.mjs', '**/*.cjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        performance: 'readonly',
        module: 'writable',
        setTimeout: 'readonly',
        setInterval: 'readonly',
        fetch: 'readonly',
      },
    },
  },
);
