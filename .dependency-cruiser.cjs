/**
 * The direction: cli → commands → tick → agent, task, report → ports ← forges, models, tools, store.
 * Every rule says why; `npm run check:direction` proves that they hold.
 */
const CORE = '^src/((tick|perform|jobs|ports|records)\\.ts|collect/|agent/|task/|report/)';
const ADAPTERS = ['forges', 'models', 'tools', 'store'];

const adaptersAreStrangers = ADAPTERS.map((adapter) => ({
  name: `${adapter}-know-no-other-adapter`,
  comment: 'An adapter can be replaced only if no other one leans on it; what two need belongs to lib or ports.',
  severity: 'error',
  from: { path: `^src/${adapter}/` },
  to: { path: `^src/(${ADAPTERS.filter((other) => other !== adapter).join('|')})/` },
}));

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or miss a third.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'core-knows-no-adapter',
      comment: 'The core reaches the world through ports.ts only; commands bring the two together.',
      severity: 'error',
      from: { path: CORE },
      to: { path: '^src/(forges|models|tools|store|playground|commands)/|^src/cli\\.ts' },
    },
    {
      name: 'core-knows-no-sdk',
      comment:
        'An SDK in the core ties the agent to one forge or model. (ajv and jsonrepair read replies, which is its work.)',
      severity: 'error',
      from: { path: CORE },
      to: { path: 'node_modules', pathNot: 'node_modules/(ajv|jsonrepair)/' },
    },
    ...adaptersAreStrangers,
    {
      name: 'adapters-know-no-core',
      comment:
        'An adapter serves the ports; it must not know who uses it. (The task key and the records are its vocabulary.)',
      severity: 'error',
      from: { path: `^src/(${ADAPTERS.join('|')})/` },
      to: { path: '^src/(tick\\.ts|cli\\.ts|agent/|report/|commands/|task/(?!key\\.ts))' },
    },
    {
      name: 'lib-knows-nothing',
      comment: 'lib is what any program could use; of ours it knows the types in ports.ts.',
      severity: 'error',
      from: { path: '^src/lib/' },
      to: { path: '^src/', pathNot: '^src/(lib/|ports\\.ts|task/key\\.ts)' },
    },
    {
      name: 'config-knows-nothing',
      comment: 'The configuration is read by everybody and reads nobody.',
      severity: 'error',
      from: { path: '^src/config/' },
      to: { path: '^src/', pathNot: '^src/(config/|lib/|ports\\.ts|task/key\\.ts)' },
    },
    {
      name: 'only-the-demo-plays',
      comment: 'The playground stands in for the world; the product must not lean on it.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(playground/|commands/demo)' },
      to: { path: '^src/playground/' },
    },
    {
      name: 'only-cli-knows-commands',
      comment: 'Commands are loaded when asked for; nobody else needs one.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli\\.ts|commands/)' },
      to: { path: '^src/(commands/|cli\\.ts)' },
    },
    {
      name: 'nothing-unresolved',
      comment: 'What is not resolved is not checked.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-dev-dependency',
      comment: 'Users install without devDependencies.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'validator\\.generated\\.js$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    // Without these two ESM-only packages are not resolved, and rules about them pass in silence.
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
