/** The import rules of docs/architecture.md#the-layers as data. Change a rule here and give the reason beside it. */

/**
 * The folders that each folder of src/ may import besides itself. The arrows of the design, plus everything further
 * left: kernel <- contract <- client <- cli, tui, testing; kernel <- storage <- vault <- services <- http <- daemon;
 * contract <- pages <- services; contract <- http; kernel <- outbound <- services. The contract's facts are a layer
 * of their own: every folder that may import the contract may import them, and so may folders that use no schemas.
 */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  'contract/facts': ['kernel'],
  // Runs in a browser and contains no code of the service.
  form: ['contract/facts'],
  hosted: ['contract/facts', 'form'],
  browser: ['contract/facts', 'form', 'hosted'],
  contract: ['kernel', 'contract/facts'],
  pages: ['kernel', 'contract'],
  storage: ['kernel', 'contract/facts'],
  vault: ['kernel', 'contract/facts', 'storage'],
  outbound: ['kernel', 'contract/facts'],
  fixtures: ['kernel', 'contract'],
  // Pure: the behaviour of a simulated bank over time.
  'bank-simulation': ['kernel', 'contract', 'fixtures'],
  services: ['kernel', 'contract', 'pages', 'storage', 'vault', 'outbound', 'fixtures', 'bank-simulation'],
  http: ['kernel', 'contract', 'storage', 'vault', 'outbound', 'fixtures', 'services'],
  daemon: ['kernel', 'contract', 'storage', 'vault', 'outbound', 'fixtures', 'services', 'http'],
  client: ['kernel', 'contract'],
  cli: ['kernel', 'contract', 'client', 'fixtures'],
  tui: ['kernel', 'contract', 'client', 'fixtures'],
  // Runs in a browser, and draws what the inspector defines.
  console: ['kernel', 'contract', 'client', 'tui'],
  testing: ['kernel', 'contract', 'client', 'fixtures'],
  // The script of the single executable, which holds the others as they were built.
  'single-file': ['kernel'],
  devtools: [
    'single-file',
    'kernel',
    'contract',
    'pages',
    'storage',
    'vault',
    'outbound',
    'fixtures',
    'services',
    'http',
    'daemon',
    'client',
    'cli',
    'tui',
    'testing',
  ],
};

/** The layer of the services of nouns, and of the files that lie directly in nouns/. */
export const SERVICES = 'services';

/** The layer of a file or folder of a noun, by its name. */
export const LAYERS_OF_NOUNS: Readonly<Record<string, string>> = {
  facts: 'contract/facts',
  endpoints: 'contract',
  words: 'contract',
  service: SERVICES,
  commands: 'cli',
  screen: 'tui',
};

/** Single imports that are allowed across the layers. A `from` that ends in / is a folder. */
export const LAYER_EXCEPTIONS: readonly { from: string; to: string; why: string }[] = [
  {
    from: 'hosted/state.ts',
    to: 'contract/registry.ts',
    why: 'the types of the answers: nothing is bundled',
  },
  {
    from: 'hosted/given.ts',
    to: 'kernel/time/written-dates.ts',
    why: 'the page reads dates as the search and the verification do; pure, and small',
  },
  {
    from: 'hosted/given.ts',
    to: 'kernel/time/civil-date.ts',
    why: 'the day from which written-dates.ts counts',
  },
  {
    from: 'cli/commands/transform.ts',
    to: 'vault/transforms/index.ts',
    why: 'runs a transform on a value of the command line: nothing sealed, no daemon',
  },
  {
    from: 'cli/commands/transform.ts',
    to: 'vault/transforms/reference.ts',
    why: 'lists the transforms: nothing sealed, no daemon',
  },
  {
    from: 'nouns/vault/commands/index.ts',
    to: 'vault/identifiers/catalogue.ts',
    why: 'lists the identifiers: nothing sealed, no daemon',
  },
  { from: 'cli/mcp/', to: 'vault/identifiers/catalogue.ts', why: 'lists the identifiers: nothing sealed' },
  {
    from: 'cli/docs/',
    to: 'vault/identifiers/catalogue.ts',
    why: 'knows what the docs page names: nothing sealed',
  },
  {
    from: 'cli/docs/',
    to: 'vault/transforms/reference.ts',
    why: 'knows what the docs page names: nothing sealed',
  },
  {
    from: 'cli/commands/docs.ts',
    to: 'pages/docs/anchors.ts',
    why: 'opens the docs page at a section: names, no markup',
  },
  {
    from: 'cli/commands/docs.ts',
    to: 'pages/docs/topics.ts',
    why: 'opens the docs page at a topic: names, no markup',
  },
  { from: 'cli/docs/', to: 'pages/docs/topics.ts', why: 'knows what the docs page names' },
  {
    from: 'cli/commands/inspect.ts',
    to: 'tui/index.ts',
    why: 'opens the terminal UI, and loads it only then',
  },
  { from: 'cli/inspect/', to: 'tui/index.ts', why: 'what it hands to the terminal UI' },
  {
    from: 'cli/fixtures/check.ts',
    to: 'vault/identifiers/index.ts',
    why: 'knows names of identifiers without a daemon: nothing sealed',
  },
  {
    from: 'testing/index.ts',
    to: 'storage/database.ts',
    why: 'prepares a store at import, so that the first start need not',
  },
  {
    from: 'contract/openapi-words.ts',
    to: 'fixtures/reason-codes.json',
    why: 'lists the codes in the document, which is generated on demand: a start does not need them',
  },
  {
    from: 'contract/openapi-words.ts',
    to: 'vault/identifiers/catalogue.ts',
    why: 'lists the identifiers in the document, which is generated on demand: nothing sealed',
  },
  { from: 'testing/', to: 'daemon/start.ts', why: 'starts the daemon inside the test process' },
  {
    from: 'testing/',
    to: 'daemon/own-package.ts',
    why: 'the daemon that it starts reports its version and serves its script',
  },
];

/** The nouns that files directly in nouns/ may import; every noun may import those files. */
export const BASE_NOUNS: readonly string[] = ['settings', 'api-keys', 'requests', 'entities'];

/** A service may use another through its service.ts or service/index.ts, and only one that stands before it here. */
export const NOUN_ORDER: readonly string[] = [
  ...BASE_NOUNS,
  'stream',
  'faults',
  'recording',
  'clock',
  'webhooks',
  'vault',
  'claims',
  'labels',
  'notes',
  'info-requests',
  'client-tokens',
  'documents',
  'duplicates',
  'comparisons',
  'playbooks',
  'risk-signals',
  'hits',
  'outcomes',
  'decisions',
  'owners',
  'onboardings',
  'vault-proxy',
  'proxies',
  'bank-links',
  'hosted',
  'integrations',
  'snapshots',
  'control',
  'keyring',
  'access-log',
  'inspector',
  'search',
  'reset',
  'console',
];

/** Packages that only some folders may import. `package` is a name or, ending in /, a scope. */
export const PACKAGE_ROOMS: readonly { package: string; rooms: readonly string[]; why: string }[] = [
  { package: '@photostructure/', rooms: ['storage'], why: 'storage is the only importer of SQLite' },
  { package: 'tweetnacl', rooms: ['vault'], why: 'only the vault seals and opens' },
  { package: 'ipaddr.js', rooms: ['outbound'], why: 'addresses are judged where they are connected to' },
  { package: '@peculiar/', rooms: ['cli'], why: 'only kyclone proxy echo makes certificates' },
  { package: 'reflect-metadata', rooms: ['cli'], why: 'a dependency of @peculiar/x509' },
  { package: '@modelcontextprotocol/', rooms: ['cli'], why: 'only kyclone mcp speaks to assistants' },
  { package: 'csv-parse', rooms: ['cli'], why: 'only kyclone bank import reads statements' },
  { package: 'uqr', rooms: ['cli'], why: 'only links that a terminal shows to a phone' },
  { package: 'yaml', rooms: ['cli', 'client', 'testing'], why: 'fixtures, and the project file of the CLI' },
  { package: 'got', rooms: ['cli'], why: 'only kyclone compare asks a remote: retries, redirects, timeouts' },
  { package: '@faker-js/', rooms: ['cli', 'testing'], why: 'people that do not exist' },
  { package: '@fastify/', rooms: ['http'], why: 'only uploads know multipart forms' },
  { package: '@oclif/', rooms: ['cli', 'devtools'], why: 'the command framework stays in the command line' },
  { package: 'oclif', rooms: ['devtools'], why: 'the command framework stays in the command line' },
  { package: 'ink', rooms: ['tui'], why: 'only kyclone inspect loads it' },
  {
    package: 'react',
    rooms: ['tui', 'browser', 'console'],
    why: 'kyclone inspect loads it, the console, and an app that has its own, with kyclone/browser/react',
  },
  { package: 'react-dom', rooms: ['console'], why: 'only the console draws into a page with it' },
  { package: '@tanstack/', rooms: ['console'], why: 'long lists of the console' },
  { package: '@inkjs/', rooms: ['tui'], why: 'only kyclone inspect loads it' },
];

/**
 * Folders that import no package at all, only Node's own modules. Schemas are built from the facts, never the
 * reverse; a page is text.
 */
export const WITHOUT_PACKAGES: readonly string[] = ['kernel', 'contract/facts', 'pages'];

/**
 * Exports of node:crypto that encrypt, agree on keys or stretch them, whatever their suffix, and the exports that give
 * access to all of these.
 */
export const CIPHER_EXPORTS =
  /^(?:\*|default|webcrypto|subtle)$|cipher|crypt|ecdh|diffieHellman|generateKey|hkdf|pbkdf2|argon2/i;
export const CIPHER_ROOM = 'vault';

/** Exports of Node's network modules that open connections. */
export const CALLING_MODULES = /^(?:node:)?(?:https?|http2|net|tls|dgram)$/;
export const CALLING_EXPORTS = /^(?:\*|default|request|get|connect|createConnection|createSocket)$/;
/** Only the outbound layer leaves the daemon, and only the client calls it. */
export const CALLING_ROOMS: readonly string[] = ['outbound', 'client'];

/**
 * The files that may use the process, the clock, randomness and the console. All other code gets them as parameters.
 * `file` is relative to src/; one that ends in / is a folder. An entry that its file no longer needs is an error.
 */
export const USE_EXCEPTIONS: readonly { use: string; file: string; why: string }[] = [
  { use: 'Date.now', file: 'hosted/given.ts', why: 'a page has the time of its browser' },
  {
    use: 'Date.now',
    file: 'console/platform/real-time.ts',
    why: 'stands for kernel/time/real-time.ts in a page',
  },
  {
    use: 'performance.now',
    file: 'console/platform/real-time.ts',
    why: 'stands for kernel/time/real-time.ts in a page',
  },
  {
    use: 'crypto.getRandomValues',
    file: 'kernel/text/json.ts',
    why: 'a mark that no text from outside can have, also in a page, where node:crypto is missing',
  },
  { use: 'prepare()', file: 'storage/', why: 'the only folder that knows SQLite' },
  {
    use: 'performance.now',
    file: 'kernel/time/real-time.ts',
    why: 'the one place that reads the time of the machine, and has its timers',
  },
  {
    use: 'new Date()',
    file: 'hosted/data-places.ts',
    why: 'the day of the person, whose date of birth is past',
  },
  {
    use: 'console',
    file: 'browser/setting.ts',
    why: 'warns the developer of an app about settings without effect',
  },
  { use: 'console', file: 'browser/problems.ts', why: 'reports what an app without onError would not learn' },
  { use: 'process.env', file: 'cli/shell/environment.ts', why: 'hands the environment to the commands' },
  { use: 'process.env', file: 'daemon/main.ts', why: 'the entry of the daemon: hands the environment on' },
  { use: 'process.env', file: 'outbound/sending.ts', why: 'the roots that Node itself was started with' },
  { use: 'process.env', file: 'single-file/main.ts', why: 'the entry of the executable' },
  {
    use: 'process.env',
    file: 'kernel/program/keychain-library.ts',
    why: 'only the single file asks where the folders of the user are, at its first use of the keychain',
  },
  { use: 'process.exit', file: 'daemon/main.ts', why: 'the entry of the daemon: its exit codes' },
  {
    use: 'process.exit',
    file: 'cli/shell/base-command.ts',
    why: 'ends a command that a signal has interrupted, whose call goes on',
  },
  {
    use: 'process.exit',
    file: 'cli/main.ts',
    why: 'the entry of the CLI: ends after an error that nothing caught',
  },
  { use: 'performance.now', file: 'cli/demo/tour.ts', why: 'how long a part of the tour took' },
  {
    use: 'performance.now',
    file: 'tui/session.ts',
    why: 'how long a value has been on the screen, by no settable clock',
  },
  {
    use: 'crypto.subtle',
    file: 'cli/echo/authority.ts',
    why: 'keys of throw-away certificates; nothing of the vault is under them',
  },
  { use: 'process.env', file: 'devtools/', why: 'tools of the repository; nothing of them is shipped' },
  { use: 'process.exit', file: 'devtools/', why: 'tools of the repository; nothing of them is shipped' },
  { use: 'console', file: 'devtools/', why: 'tools of the repository; nothing of them is shipped' },
];
