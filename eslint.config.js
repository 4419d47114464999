import tseslint from 'typescript-eslint';

export default tseslint.config(
  // The project of the generated client compiles by a tsconfig of its own, once the client is there.
  {
    ignores: [
      'dist/',
      'node_modules/',
      'completions/',
      'bin/',
      'test/support/*.cjs',
      'test/generated-client/project/',
    ],
  },
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: {
          allowDefaultProject: [
            'eslint.config.js',
            'test/bench/baseline-server.js',
            'src/devtools/testing-loader.cjs',
          ],
        },
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/prefer-literal-enum-member': 'off',
      'no-eval': 'error',
      'no-console': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  { files: ['**/*.js', '**/*.cjs'], ...tseslint.configs.disableTypeChecked },
  {
    // Runs in other people's pages: what it shows never becomes HTML, and nothing is left behind in the browser.
    files: ['src/form/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'cookie'].map((property) => ({
          property,
        })),
      ],
      'no-restricted-globals': ['error', 'localStorage', 'sessionStorage', 'indexedDB', 'caches'],
    },
  },
  // The binding's iterators cannot be kept from the garbage collector (src/storage/binding.ts).
  {
    files: ['src/**'],
    ignores: ['src/form/**'],
    rules: { 'no-restricted-properties': ['error', { property: 'iterate' }] },
  },
  // CommonJS: as most readers of the recipe have it, and where nothing else can be loaded.
  { files: ['test/recipes/jest/**', '**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  // Tests name methods without calling them: in tables of what to call, and to look at their types.
  { files: ['test/**'], rules: { '@typescript-eslint/unbound-method': 'off' } },
);
