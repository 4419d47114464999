/**
 * docs/scale.md, followed as a reader does: each command, in the order of the page, in one shell. Its manifests are
 * checked against the types and schemas of Kubernetes, and, by `.ci/run`, against those of compose files and workflows.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { runCli } from '../support/cli.ts';
import { ROOT, startDaemon } from '../support/daemon.ts';
import { blocksOf, commandsOf, outputPattern, withoutVarying } from '../support/page-blocks.ts';
import { marked, runMarked } from '../support/page-shell.ts';
import { tempDir } from '../support/temp-dir.ts';
import { TOOLS, toolPath } from '../support/tools.ts';

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8');

test('scale: each command prints what the page shows', async () => {
  using home = tempDir();
  using folder = tempDir();
  const commands = blocksOf(read('docs/scale.md')).flatMap(({ language, text }) =>
    language === 'console' ? commandsOf(text) : [],
  );
  expect(commands.length).toBeGreaterThan(10);
  try {
    const runs = await runMarked(commands.map(({ text }) => marked(text)).join('\n'), {
      home: home.path,
      folder: folder.path,
    });
    for (const [at, { text, shown }] of commands.entries()) {
      const { printed, code } = runs[at] ?? {};
      expect(withoutVarying(printed ?? 'not run'), text).toMatch(outputPattern(shown));
      expect(code, text).toBe('0');
    }
  } finally {
    for (const name of ['team', 'shard-1']) await runCli(['stop', '--instance', name], { home: home.path });
  }
});

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

const modulesOf = ({ apiVersion, kind }: Manifest) =>
  `kubernetes-models/${apiVersion.replace(/^(networking)\//, '$1.k8s.io/')}/${kind}`;
const kubernetes = () =>
  parseAllDocuments(read('docs/scale/kubernetes.yaml')).map((document) => document.toJS() as Manifest);

/** Compiles the manifests as literals of the published types, which also refuse a member that there isn't. */
function compile(manifests: readonly Manifest[]): string {
  using folder = tempDir();
  symlinkSync(TOOLS, join(folder.path, 'node_modules'));
  const lines = manifests.flatMap((manifest, at) => [
    `import type { I${manifest.kind} as T${at} } from '${modulesOf(manifest)}';`,
    `export const m${at}: T${at} = ${JSON.stringify(manifest, null, 1)};`,
  ]);
  writeFileSync(join(folder.path, 'manifests.ts'), lines.join('\n'));
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', 'manifests.ts'];
  try {
    return execFileSync(process.execPath, [toolPath('typescript/bin/tsc'), ...options], {
      cwd: folder.path,
      encoding: 'utf8',
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

test('scale: kubernetes.yaml has only members that Kubernetes knows, of their types', () => {
  const manifests = kubernetes();
  expect(manifests.map(({ kind }) => kind)).toEqual(['Service', 'StatefulSet', 'NetworkPolicy']);
  expect(compile(manifests)).toBe('');
  const [service] = manifests as [Manifest & { spec: object }];
  const misspelt = { ...service, spec: { ...service.spec, clusterIp: 'None' } };
  expect(compile([misspelt])).toContain(`'"clusterIp"' does not exist`);
});

test('scale: kubernetes.yaml is valid by the schemas of Kubernetes', () => {
  const load = createRequire(toolPath('kubernetes-models/package.json'));
  for (const manifest of kubernetes()) {
    const models = load(modulesOf(manifest)) as Record<string, new (of: object) => { validate(): void }>;
    const Model = models[manifest.kind];
    if (!Model) throw new Error(`no schema of ${manifest.kind}`);
    expect(() => new Model(manifest).validate(), manifest.kind).not.toThrow();
    expect(() => new Model({ ...manifest, spec: 'none' }).validate(), manifest.kind).toThrow('spec');
  }
});

interface StatefulSet {
  readonly spec: {
    readonly serviceName: string;
    readonly template: {
      readonly spec: {
        readonly securityContext: object;
        readonly containers: readonly {
          readonly args: readonly string[];
          readonly readinessProbe: {
            readonly httpGet: { path: string; httpHeaders: readonly { name: string; value: string }[] };
          };
        }[];
      };
    };
  };
}

test('scale: a pod runs as the user of the image, is probed with a host that it serves, and serves its own name', async () => {
  const { spec } = kubernetes().find(({ kind }) => kind === 'StatefulSet') as Manifest & StatefulSet;
  const [uid] = /^USER (\d+):/m.exec(read('Dockerfile'))?.slice(1).map(Number) ?? [];
  expect(spec.template.spec.securityContext).toMatchObject({ runAsUser: uid, fsGroup: uid });
  const [container] = spec.template.spec.containers;
  if (!container) throw new Error('the pod has no container');
  const options = container.args.map((word) => word.replace('$(POD_NAME)', 'kyclone-0'));
  await using daemon = await startDaemon({ options: ['--host', '0.0.0.0', '--allow-remote', ...options] });
  const { path, httpHeaders } = container.readinessProbe.httpGet;
  const status = (host: string) =>
    execFileSync(
      'curl',
      ['-so', '/dev/null', '-w', '%{http_code}', '-H', `Host: ${host}`, daemon.url + path],
      { encoding: 'utf8' },
    );
  expect(httpHeaders.map(({ name }) => name)).toEqual(['Host']);
  expect(status(httpHeaders[0]?.value ?? '')).toBe('200');
  expect(status(`kyclone-0.${spec.serviceName}:4630`)).toBe('200');
  expect(status('10.1.2.3:4630')).toBe('421');
});

test('scale: every manifest is checked by .ci/run or here, and is on the page', () => {
  const checked = read('.ci/run');
  const files = readdirSync(join(ROOT, 'docs/scale'));
  expect(files.sort()).toEqual(['compose.yaml', 'kubernetes.yaml', 'workflow.yml']);
  for (const file of files) {
    expect(read('docs/scale.md')).toContain(`(scale/${file})`);
    if (file !== 'kubernetes.yaml') expect(checked).toContain(`docs/scale/${file}`);
  }
});

test('scale: the workflow imports a snapshot under a key from the secrets, in as many jobs as it has shards', () => {
  const { jobs } = parse(read('docs/scale/workflow.yml')) as {
    jobs: { test: { strategy: { matrix: { shard: number[] } }; steps: { run?: string; env?: object }[] } };
  };
  const step = jobs.test.steps.find(({ run }) => run?.includes('kyclone exec'));
  expect(step?.run).toContain(`--shard="$SHARD/${jobs.test.strategy.matrix.shard.length}"`);
  expect(step?.env).toHaveProperty('KYCLONE_SNAPSHOT_KEY');
});
