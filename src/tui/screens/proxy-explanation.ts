/** The steps of the proxy in their order, in words. Steps that it didn't reach are left out. */
import { counted } from '../../kernel/count-text.ts';
import { READ_BY_PROXY } from '../../contract/facts/requests.ts';
import type { AnswerOf } from '../../contract/registry.ts';
import { fact, type Fact } from './fact-rows.ts';
import { jsonLines } from './json-rows.ts';

type Explanation = AnswerOf<'GET /_kyclone/requests/{id}/proxy'>;
type Entry = Pick<AnswerOf<'GET /_kyclone/requests/{id}'>, 'route' | 'status' | 'code'>;

export function explanationFacts(explanation: Explanation, { route, status, code }: Entry): readonly Fact[] {
  const { target, policy, tokens, headers, tls, ingress, upstream, withheld, hints } = explanation;
  const dryRun = route === null ? undefined : DRY_RUNS[route];
  return [
    ...(code === null ? [] : fact('outcome', `${status} ${code}`, 'warn')),
    ...(dryRun === undefined ? [] : fact('call', `${dryRun}, a dry run: nothing was sent`)),
    ...fact('target', target),
    { name: 'policy', text: policy },
    ...prose('addresses', explanation.resolved_addresses.join(', ')),
    ...(tokens.length === 0 ? fact('tokens', 'none') : tokens.flatMap(tokenFacts)),
    ...prose('forwarded', headers.forwarded.join(', ')),
    ...prose('refused', headers.refused.join(', '), 'warn'),
    ...prose('stripped', strippedText(headers.stripped)),
    ...(tls === null ? [] : tlsFacts(tls)),
    ...ingress.flatMap(ingressFacts),
    ...(upstream === null ? [] : upstreamFacts(upstream)),
    ...(withheld === undefined ? [] : withheldFacts(withheld)),
    ...hints.flatMap((hint) => prose('hint', hint, 'warn')),
  ];
}

const DRY_RUNS: Readonly<Record<string, string>> = {
  '/vault_proxy/render': 'render',
  '/vault_proxy/reflect': 'reflect',
};

function prose(name: string, text: string, tone?: Fact['tone']): readonly Fact[] {
  return fact(name, text, tone).map((each) => ({ ...each, isProse: true }));
}

/** `fp_id_….id.ssn9`, and below it the masked input and output. */
function tokenFacts({
  token,
  found,
  transforms,
  input_masked: input,
  output_masked: output,
}: Explanation['tokens'][number]): readonly Fact[] {
  const steps = [input, ...transforms, output].filter((step) => step !== null);
  return [
    { name: 'token', text: found ? token : `${token}, not found`, tone: found ? 'plain' : 'bad' },
    ...(found ? prose(' ', steps.join(' → ')) : []),
  ];
}

/** Headers for the proxy itself are never forwarded, so they are only counted. */
function strippedText(names: readonly string[]): string {
  const others = names.filter((name) => !READ_BY_PROXY.includes(name));
  const read = names.length - others.length;
  const forProxy = `${counted(read, 'header')} for the proxy`;
  return [...others, ...(read > 0 ? [forProxy] : [])].join(', ');
}

const PINNED = { leaf: "the target's own certificate", ca: 'its authority' } as const;

function tlsFacts({ version, pinned, chain }: NonNullable<Explanation['tls']>): readonly Fact[] {
  return [
    ...fact('TLS', version ?? 'no version was agreed on'),
    ...(pinned === null ? [] : fact('pin matched', PINNED[pinned])),
    ...chain.flatMap((subject, index) => prose(`certificate ${index + 1}`, subject)),
  ];
}

function ingressFacts({
  rule,
  matched,
  stored_as: storedAs,
  reason,
}: Explanation['ingress'][number]): readonly Fact[] {
  const result = storedAs === null ? (reason ?? (matched ? 'not stored' : 'not matched')) : `as ${storedAs}`;
  return [
    ...prose('ingress rule', rule),
    storedAs === null
      ? { name: ' ', text: result, tone: 'warn', isProse: true }
      : { name: ' ', text: `stored ${result}`, tone: 'good', isProse: true },
  ];
}

function upstreamFacts({
  status,
  ms_connect: connect,
  ms_total: total,
}: NonNullable<Explanation['upstream']>): readonly Fact[] {
  return [
    { name: 'answer', text: status === null ? 'none' : String(status) },
    ...(connect === null ? [] : fact('time to connect', `${connect} ms`)),
    { name: 'time in all', text: `${total} ms` },
  ];
}

/** The answer that an ingress rule kept from the caller: names of headers, and the masked body. */
function withheldFacts({ headers, body }: NonNullable<Explanation['withheld']>): readonly Fact[] {
  return [
    ...prose('withheld', headers.length === 0 ? 'no headers' : headers.join(', ')),
    ...jsonLines(body).map((text) => ({ name: ' ', text })),
  ];
}
