/** The tour as text for people: a line for each promise, or each call with its response. */
import { boolean } from '@oclif/core/flags';
import { curlText } from '../../kernel/text/curl-text.ts';
import { shQuoted } from '../../kernel/text/shell-word.ts';
import { SECOND_MS } from '../../kernel/numbers/units.ts';
import { BaseCommand } from '../shell/base-command.ts';
import { createClient } from '../../client/client.ts';
import { connectionOf, type DaemonAccess } from '../shell/daemon-access.ts';
import { accessParts } from '../demo/access-parts.ts';
import { outcomeParts } from '../demo/outcome-parts.ts';
import { diskPart, onStage, withThirdParty } from '../demo/stage.ts';
import { vaultParts } from '../demo/vault-parts.ts';
import {
  areKept,
  takeTour,
  withoutSecrets,
  type TourPart,
  type PartReport,
  type StepReport,
  shownVariable,
  type StepRequest,
} from '../demo/tour.ts';
import { EXIT, exitCodeOfSignal } from '../shell/exit-codes.ts';
import { facts, SCREEN_WIDTH, shortened } from '../shell/layout.ts';
import { printable, type Style } from '../shell/output.ts';

const LONGEST_ANSWER = 400;

const PROMISE_WIDTH = 68;
const SECONDS_WIDTH = 8;
const INDENT = '  ';
const LONGEST_FOUND = 120;

/** A line for a part and, if its promise doesn't hold, the first claim that failed. Each line fits 80 columns. */
export function partView({ promise, ms, steps }: PartReport, style: Style): string {
  const failed = steps.find((step) => !areKept([step]));
  const seconds = `${(ms / SECOND_MS).toFixed(2)} s`.padStart(SECONDS_WIDTH);
  return [
    `${markOf(failed === undefined, style)} ${promise.padEnd(PROMISE_WIDTH)} ${style.dim(seconds)}`,
    ...(failed === undefined ? [] : failureLines(failed, style)),
  ].join('\n');
}

function failureLines({ number, title, claims }: StepReport, style: Style): string[] {
  const { says: expected, found } = claims.find(({ holds }) => !holds) ?? {};
  const members = { step: `${number}. ${title}`, expected, found: shortened(found ?? '', LONGEST_FOUND) };
  return facts(members, { ...style, width: SCREEN_WIDTH - INDENT.length })
    .split('\n')
    .map((line) => INDENT + line);
}

function markOf(holds: boolean, style: Style): string {
  return holds ? style.good('✓') : style.bad('✗');
}

/** One step as text: the request as a shell command (after `kyclone env`), the response, and the claims. */
export function stepView(step: StepReport, style: Style): string {
  const answer =
    step.answer.length > LONGEST_ANSWER ? `${step.answer.slice(0, LONGEST_ANSWER)}…` : step.answer;
  return [
    style.bold(`${step.number}. ${step.title}`),
    `   ${style.dim('$')} ${printable(curlLine(step.request))}`,
    `   ${style.dim(String(step.status))} ${printable(answer)}`,
    ...step.claims.map(({ says, holds }) => `   ${markOf(holds, style)} ${says}`),
    '',
  ].join('\n');
}

/** Shows credentials as variables, because demos are shown to others. */
export function curlLine(request: StepRequest): string {
  const { method, body, file, token } = request;
  const path =
    token === undefined ? request.path : request.path.replace(token.value, () => shownVariable(token));
  const command = curlText(
    {
      options: ['-s'],
      method,
      url: `"$KYCLONE_BASE_URL${path}"`,
      ...credentialOf(request),
      headers: headersOf(request),
      body: [
        ...(body === undefined ? [] : [`-d ${shQuoted(JSON.stringify(body))}`]),
        ...(file === undefined ? [] : ['--data-binary @-']),
      ],
    },
    ' ',
  );
  return file === undefined ? command : `printf %s ${file.base64} | base64 -d | ${command}`;
}

/** Shows a wrong key literally, because no variable contains one. */
function credentialOf({ path, headers, token }: StepRequest) {
  if (path.startsWith('/_kyclone/')) return { credential: 'control' } as const;
  if (token !== undefined) return { credential: undefined };
  if (headers?.['authorization'] === undefined) return { credential: 'key' } as const;
  return { credential: undefined, options: ['-s', '-u sk_test_wrong:'] };
}

function headersOf({ path, headers = {}, body, file, token }: StepRequest): string[] {
  return [
    ...(token === undefined || path.includes(token.value)
      ? []
      : [`"x-fp-authorization: ${shownVariable(token)}"`]),
    ...Object.entries(headers)
      .filter(([name]) => name !== 'authorization')
      .map(([name, value]) =>
        typeof value === 'string' ? shQuoted(`${name}: ${value}`) : `"${name}: ${shownVariable(value)}"`,
      ),
    ...(body === undefined ? [] : ['content-type:application/json']),
    ...(file === undefined ? [] : [`content-type:${file.contentType}`]),
  ];
}

function demoEndView({ ok, stopped }: { ok: boolean; stopped: boolean }, style: Style): string {
  if (stopped) return 'The demo was stopped. Its instance and its files are deleted.';
  return ok
    ? style.good('The demo and its data are deleted. To start your own instance: kyclone start -d')
    : style.bad('Not every promise holds. To see each call and response: kyclone demo --full');
}

interface Tour {
  readonly ok: boolean;
  /** Whether a signal ended it early. */
  readonly stopped: boolean;
  readonly promises: readonly { readonly promise: string; readonly holds: boolean; readonly ms: number }[];
  readonly steps: readonly StepReport[];
}

export default class Demo extends BaseCommand<Tour> {
  static override summary =
    'Show what kyclone does, on an instance of its own; exit code 1 when a promise does not hold';
  static override examples = ['', '--full', '--json | jq .ok'];
  static override flags = { full: boolean({ summary: 'show each call and its response' }) };

  async run(): Promise<Tour> {
    const { flags } = await this.parse(Demo);
    const parts: PartReport[] = [];
    const report = (part: PartReport) => {
      parts.push(part);
      if (!this.isForPeople) return;
      if (!flags.full) this.print(partView(part, this.style));
      else for (const step of part.steps) this.print(stepView(step, this.style));
    };
    let stoppedBy: NodeJS.Signals | undefined;
    // Further signals change nothing: npx, for example, passes on the Ctrl-C that this process gets, too.
    const stop = (signal: NodeJS.Signals) => void (stoppedBy ??= signal);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    const { root } = this.config;
    const isStopped = () => stoppedBy !== undefined;
    const walk = (access: DaemonAccess, next: readonly TourPart[], known = {}) => {
      const client = createClient(connectionOf(access, false));
      const stepsBefore = parts.flatMap(({ steps }) => steps).length;
      return takeTour(next, { client, report, isStopped, known, stepsBefore });
    };
    const isTrueInMemory = await onStage({ root, storage: 'memory' }, (access) =>
      withThirdParty((known) => walk(access, [...vaultParts, ...accessParts, ...outcomeParts], known)),
    );
    const isTrueOnDisk =
      !isStopped() &&
      (await onStage({ root, storage: 'disk' }, (access, folder) => walk(access, [diskPart(folder)])));
    const ok = isTrueInMemory && isTrueOnDisk;
    if (stoppedBy !== undefined) this.endWith(exitCodeOfSignal(stoppedBy));
    else if (!ok) this.endWith(EXIT.failed);
    return this.present(
      {
        ok,
        stopped: isStopped(),
        promises: parts.map(({ promise, ms, steps }) => ({ promise, holds: areKept(steps), ms })),
        steps: parts.flatMap(({ steps }) => steps).map(withoutSecrets),
      },
      demoEndView,
    );
  }
}
