import { printable, type Style } from '../shell/output.ts';
import { shownVariable, type StepReport, type StepRequest } from './tour.ts';

const LONGEST_ANSWER = 400;

/** One step: the request as a line for a shell that has evaluated `kyclone env`, the answer, the claims. */
export function stepView(step: StepReport, style: Style): string {
  const answer =
    step.answer.length > LONGEST_ANSWER ? `${step.answer.slice(0, LONGEST_ANSWER)}…` : step.answer;
  return [
    style.bold(`${step.number}. ${step.title}`),
    `   ${style.dim('$')} ${printable(curlLine(step.request))}`,
    `   ${style.dim(String(step.status))} ${printable(answer)}`,
    ...step.claims.map(({ says, holds }) => `   ${holds ? style.good('✓') : style.bad('✗')} ${says}`),
    '',
  ].join('\n');
}

/** Credentials stand as variables: a demo is shown to others. */
export function curlLine(request: StepRequest): string {
  const { method, body, file, token } = request;
  const path =
    token === undefined ? request.path : request.path.replace(token.value, () => shownVariable(token));
  return [
    ...(file === undefined ? [] : [`printf %s ${file.base64} | base64 -d |`]),
    'curl -s',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...credential(request),
    ...headerOptions(request),
    ...(body === undefined ? [] : [`-H content-type:application/json -d ${quoted(JSON.stringify(body))}`]),
    ...(file === undefined ? [] : [`-H content-type:${file.contentType} --data-binary @-`]),
    `"$KYCLONE_BASE_URL${path}"`,
  ].join(' ');
}

function credential({ path, headers, token }: StepRequest): string[] {
  if (path.startsWith('/_kyclone/')) return ['-H "authorization: Bearer $KYCLONE_CONTROL_TOKEN"'];
  if (token !== undefined) {
    return path.includes(token.value) ? [] : [`-H "x-fp-authorization: ${shownVariable(token)}"`];
  }
  return [headers?.['authorization'] === undefined ? '-u "$KYCLONE_API_KEY:"' : '-u sk_test_wrong:'];
}

function headerOptions({ headers = {} }: StepRequest): string[] {
  return Object.entries(headers)
    .filter(([name]) => name !== 'authorization')
    .map(([name, value]) =>
      typeof value === 'string'
        ? `-H ${quoted(`${name}: ${value}`)}`
        : `-H "${name}: ${shownVariable(value)}"`,
    );
}

export function demoEndView(isTrue: boolean, steps: number, style: Style): string {
  return isTrue
    ? style.good(
        `All ${steps} steps did what they claim. Nothing of this tour is left; kyclone start -d begins yours.`,
      )
    : style.bad('Some of the claims above did not hold.');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
