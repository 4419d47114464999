/**
 * The request builder (`#/request`): any endpoint of the contract, sent with the session, a token or nothing. A token
 * that is typed here stays in this component: neither the history nor the code contains it.
 */
import { useEffect, useId, useMemo, useRef, useState, type ReactElement } from 'react';
import type { OpenApiDocument } from '../../contract/openapi.ts';
import { CLIENT_TOKEN_HEADER } from '../../contract/facts/credentials.ts';
import { printableLines } from '../../kernel/text/terminal-text.ts';
import { REVEAL_MS } from '../../tui/runtime.ts';
import { noticeOfCopy } from '../../tui/state/copying.ts';
import { inWords } from '../../tui/words.ts';
import { callOwn, headersOfTab, PLAIN } from '../client.ts';
import { clearSecret, copySecret, copyText } from '../clipboard.ts';
import { operationIn } from '../routes.ts';
import type { PageRuntime } from '../runtime.ts';
import { useCopying, type Copy } from './copying.ts';
import { CODE_LANGUAGES, requestCode, type CodeLanguage, type CodeRequest } from './request-code.ts';
import {
  builtRequest,
  firstDraft,
  nextDraft,
  type BuiltRequest,
  type KeptDrafts,
  type RequestDraft,
} from './request-draft.ts';
import { AddressFields, BodyFields, EndpointChoice } from './request-fields.tsx';
import { operationsOf, type CredentialKind, type Operation } from './request-operations.ts';
import { ResponseView, type SentResponse } from './request-response.tsx';
import './request-builder.css';

/** A request of this tab, without its token and file. */
export interface SentRequest {
  readonly draft: RequestDraft;
  readonly request: BuiltRequest;
  readonly status: number | undefined;
}

interface BuilderProps {
  readonly page: PageRuntime;
  /** Names an endpoint, also where another one is chosen later. */
  readonly hash: string;
  readonly isConnected: boolean;
  /** What is filled in, also for another builder of the same person. */
  readonly drafts: KeptDrafts;
  /** False while another place is looked at. */
  readonly isShown: boolean;
  /** What was sent since the page was opened; it stays while other places are looked at. */
  readonly sent: readonly SentRequest[];
  readonly onSent: (sent: SentRequest) => void;
}

export function Builder(props: BuilderProps): ReactElement {
  const [openapi, setOpenapi] = useState<OpenApiDocument>();
  const [problem, setProblem] = useState<string>();
  const { isConnected } = props;
  const isMissing = openapi === undefined;
  useEffect(() => {
    if (!isMissing || !isConnected) return;
    setProblem(undefined);
    callOwn('/_kyclone/openapi.json', 'GET').then(
      (document) => setOpenapi(document as OpenApiDocument),
      (error: unknown) => setProblem(inWords(error)),
    );
  }, [isMissing, isConnected]);
  return (
    <>
      <div className="way">
        <h1>Request builder</h1>
      </div>
      <div className="builder" aria-busy={isMissing && problem === undefined}>
        {problem !== undefined && <p className="problem">{problem}</p>}
        {openapi !== undefined && <RequestBuilder {...props} openapi={openapi} />}
      </div>
    </>
  );
}

const copy: Copy = async (text) => noticeOfCopy(await copyText(text), text.split('\n', 1)[0] ?? '').text;
const copyDecrypted: Copy = async (text) => noticeOfCopy(await copySecret(text), 'what was decrypted').text;

/** Sends with the token of this tab where a key or the control token would stand, and beside another token. */
async function sendRequest(
  { connection, now }: PageRuntime,
  { method, path, credential, headers, body }: BuiltRequest,
  { token, file }: { readonly token: string; readonly file: File | undefined },
): Promise<SentResponse> {
  const before = now();
  const response = await fetch(path, {
    ...PLAIN,
    method,
    headers: {
      ...headers,
      ...(credential !== 'none' && headersOfTab(connection())),
      ...(credential === 'token' && { [CLIENT_TOKEN_HEADER]: token }),
    },
    body: file ?? body ?? null,
  });
  const text = await response.text();
  return { status: response.status, durationMs: now() - before, headers: [...response.headers], text };
}

const CREDENTIAL_NAMES: Readonly<Record<CredentialKind, string>> = {
  key: 'Secret key',
  token: 'Token',
  control: 'Control',
  none: 'Nobody',
};

function RequestBuilder({
  page,
  openapi,
  hash,
  drafts: kept,
  sent,
  onSent,
  isConnected,
  isShown: isLookedAt,
}: BuilderProps & { readonly openapi: OpenApiDocument }): ReactElement {
  const start = operationIn(hash);
  const operations = useMemo(() => operationsOf(openapi), [openapi]);
  const wanted = operations.find(({ id: each }) => each === start);
  const [draft, setDraft] = useState(
    () => kept.get(start ?? '') ?? (wanted && firstDraft(wanted)) ?? [...kept.values()].at(-1),
  );
  const [token, setToken] = useState('');
  const [file, setFile] = useState<File>();
  /** How often Send was pressed for this operation: each press moves the focus to what is missing. */
  const [tries, setTries] = useState(0);
  const [isSending, setIsSending] = useState(false);
  const [outcome, setOutcome] = useState<SentResponse | string>();
  const form = useRef<HTMLFormElement>(null);
  const place = useRef<HTMLElement>(null);
  /** Counts choices, to recognise a response to the endpoint before. */
  const turn = useRef(0);
  const id = useId();

  const operation = operations.find((each) => each.id === draft?.operation);
  const built = operation && draft ? builtRequest(operation, draft) : undefined;
  const count = Object.keys(built?.problems ?? {}).length;

  useEffect(() => {
    const field = tries === 0 ? null : form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    // A group that was folded could not take the focus.
    field?.closest('details')?.setAttribute('open', '');
    field?.focus();
  }, [tries]);

  useEffect(() => {
    if (draft === undefined) return;
    kept.delete(draft.operation);
    kept.set(draft.operation, draft);
  }, [draft, kept]);
  useEffect(() => {
    if (wanted !== undefined && wanted.id !== draft?.operation) choose(nextDraft(wanted, kept, draft));
    // A choice after it stays.
  }, [wanted]);

  const isShown = typeof outcome === 'object' && !outcome.isHidden && outcome.status < 400;
  // What a call decrypts hides itself as a revealed field does.
  const isHiding = isShown && /\/decrypt(\/|$)/.test(operation?.id ?? '');
  const isWatched = isConnected && isLookedAt;
  useEffect(() => {
    if (!isHiding) return undefined;
    const hide = (): void =>
      setOutcome((shown) => (typeof shown === 'object' ? { ...shown, text: '', isHidden: true } : shown));
    if (!isWatched) {
      hide();
      return undefined;
    }
    const timer = setTimeout(hide, REVEAL_MS);
    return () => {
      clearTimeout(timer);
      void clearSecret().then((notice) => notice && page.act({ kind: 'say', notice }));
    };
  }, [outcome, isHiding, isWatched, page]);

  function choose(next: RequestDraft): void {
    turn.current += 1;
    setDraft(next);
    setFile(undefined);
    setTries(0);
    setOutcome(undefined);
  }

  useEffect(() => {
    const shown = place.current;
    // In one column the response is below the request, off the screen.
    if (outcome !== undefined && shown !== null && shown.getBoundingClientRect().top > innerHeight / 2)
      shown.scrollIntoView();
  }, [outcome]);

  async function submit(): Promise<void> {
    if (built === undefined || draft === undefined || isSending) return;
    setTries(tries + 1);
    if (count > 0) return;
    setIsSending(true);
    const ownTurn = turn.current;
    const show = (result: SentResponse | string): void => {
      if (turn.current === ownTurn) setOutcome(result);
    };
    let status: number | undefined;
    try {
      const response = await sendRequest(page, built.request, { token, file });
      status = response.status;
      show(response);
    } catch (error) {
      show(error instanceof Error ? error.message : 'The request failed');
    }
    setIsSending(false);
    onSent({ draft, request: built.request, status });
  }

  return (
    <div className="request">
      <EndpointChoice
        operations={operations}
        operation={operation}
        onChoose={(each) => choose(nextDraft(each, kept, draft))}
      />
      {operation && draft && built && (
        <div className="request-columns">
          <form
            ref={form}
            noValidate
            aria-label="Request"
            onSubmit={(event) => {
              event.preventDefault();
              void submit();
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              void submit();
            }}
          >
            <p className="request-about">{operation.summary}</p>
            <AddressFields
              operation={operation}
              draft={draft}
              problems={shown(built.problems, tries > 0)}
              onDraft={setDraft}
            />
            <BodyFields
              key={operation.id}
              operation={operation}
              draft={draft}
              problems={shown(built.problems, tries > 0)}
              onDraft={setDraft}
              onFile={setFile}
            />
            <div className="request-send">
              <label htmlFor={`${id}-as`}>As</label>
              <select
                id={`${id}-as`}
                value={draft.as}
                onChange={({ target }) => setDraft({ ...draft, as: target.value as CredentialKind })}
              >
                {(['key', 'token', 'control', 'none'] as const).map((kind) => (
                  <option key={kind} value={kind}>
                    {CREDENTIAL_NAMES[kind]}
                  </option>
                ))}
              </select>
              {draft.as === 'token' && (
                <input
                  aria-label="Token"
                  type="password"
                  autoComplete="off"
                  placeholder="Token"
                  value={token}
                  onChange={({ target }) => setToken(target.value)}
                />
              )}
              <button type="submit" aria-disabled={isSending}>
                {isSending ? 'Sending…' : 'Send'}
              </button>
              <span role="alert" className="request-problem">
                {tries > 0 && count > 0
                  ? `Not sent: ${count} ${count === 1 ? 'field' : 'fields'} to correct`
                  : ''}
              </span>
            </div>
            <Code request={withFile(built.request, operation, file)} />
          </form>
          <section ref={place} aria-label="Response" className="request-response">
            <ResponseView
              outcome={outcome}
              copy={isHiding ? copyDecrypted : copy}
              kept={token}
              onToken={setToken}
            />
            <History sent={sent} onChoose={(each) => choose(each.draft)} />
          </section>
        </div>
      )}
    </div>
  );
}

function Code({ request }: { request: CodeRequest }): ReactElement {
  const id = useId();
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  const [report, copyText] = useCopying(copy);
  const code = requestCode(language, request);
  return (
    <details className="request-code" open>
      <summary>Code</summary>
      <div className="request-modes">
        <label htmlFor={id}>Language</label>
        <select id={id} value={language} onChange={({ target }) => setLanguage(target.value as CodeLanguage)}>
          {CODE_LANGUAGES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
        <button type="button" onClick={() => copyText(code)}>
          Copy
        </button>
        <span role="status">{printableLines(report)}</span>
      </div>
      <pre tabIndex={0} role="group" aria-label={`Code for ${language}`}>
        {printableLines(code)}
      </pre>
    </details>
  );
}

function History({
  sent,
  onChoose,
}: {
  sent: readonly SentRequest[];
  readonly onChoose: (sent: SentRequest) => void;
}): ReactElement | null {
  if (sent.length === 0) return null;
  return (
    <details className="request-history">
      <summary>Sent in this tab ({sent.length})</summary>
      <ol>
        {sent.map((each, index) => (
          <li key={sent.length - index}>
            <button type="button" onClick={() => onChoose(each)}>
              <span>{each.status ?? 'none'}</span> {each.request.method} {each.request.path}
            </button>
          </li>
        ))}
      </ol>
    </details>
  );
}

/** What is missing shows after the first press of Send; what can't be read shows at once. */
function shown(
  problems: Readonly<Record<string, string>>,
  isTried: boolean,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(problems).filter(([, text]) => isTried || text !== 'Required'));
}

function withFile(request: BuiltRequest, operation: Operation, file: File | undefined): CodeRequest {
  if (!operation.body?.isFile) return request;
  const type = file?.type || 'application/octet-stream';
  return { ...request, headers: { 'content-type': type, ...request.headers }, file: file?.name ?? 'FILE' };
}
