/** The response to a request: status, time, headers and body. */
import { useMemo, type ReactElement } from 'react';
import type { Copy } from './copying.ts';
import { CREDENTIAL_PREFIX } from '../../kernel/ids/ids.ts';
import { printable, printableLines } from '../../kernel/text/terminal-text.ts';
import { JsonTree } from './json-tree.tsx';
import { parsedJson } from './request-draft.ts';

export interface SentResponse {
  readonly status: number;
  readonly durationMs: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  /** The body was decrypted, and its time has passed. */
  readonly isHidden?: true;
}

const MOST_TEXT = 100_000;
const TOKEN_KEPT = 'Requests as Token are sent with it';

const HIDDEN = 'The values are hidden again. Send the request again to see them.';

/** Draws a response, or the message of a request that had none. */
export function ResponseView({
  outcome,
  copy,
  kept,
  onToken,
}: {
  outcome: SentResponse | string | undefined;
  readonly copy: Copy;
  /** The token that requests are sent with. */
  readonly kept: string;
  readonly onToken: (token: string) => void;
}): ReactElement {
  const response = typeof outcome === 'object' ? outcome : undefined;
  const json = useMemo(() => response && parsedJson(response.text), [response]);
  const message = response && messageOf(response, json);
  const token = tokenIn(json);
  const isKept = token !== undefined && token === kept;
  return (
    <>
      <p role="status" className={`request-status is-${toneOf(outcome)}`}>
        {typeof outcome === 'object' ? summaryOf(outcome) : (outcome ?? 'Not sent yet')}
      </p>
      {response && (
        <>
          {message !== undefined && <p className="request-problem">{printable(message)}</p>}
          {token !== undefined && (
            <div className="request-modes">
              <button type="button" onClick={() => onToken(token)}>
                Use as token
              </button>
              <span role="status">{isKept ? TOKEN_KEPT : ''}</span>
            </div>
          )}
          <details>
            <summary>Headers ({response.headers.length})</summary>
            <dl>
              {response.headers.map(([name, value], index) => (
                <div key={index}>
                  <dt>{printable(name)}</dt>
                  <dd>{printable(value)}</dd>
                </div>
              ))}
            </dl>
          </details>
          {response.isHidden && <p className="request-hint">{HIDDEN}</p>}
          {json !== undefined ? (
            <JsonTree label="Body of the response" value={json} copy={copy} />
          ) : (
            response.text !== '' && (
              <pre tabIndex={0} role="group" aria-label="Body of the response">
                {printableLines(response.text.slice(0, MOST_TEXT))}
                {response.text.length > MOST_TEXT &&
                  `\n… and ${(response.text.length - MOST_TEXT).toLocaleString('en')} more characters`}
              </pre>
            )
          )}
        </>
      )}
    </>
  );
}

function summaryOf({ status, durationMs, text, isHidden }: SentResponse): string {
  const head = `${status} · ${Math.round(durationMs)} ms`;
  if (isHidden) return head;
  const size = new TextEncoder().encode(text).length;
  return `${head} · ${size.toLocaleString('en')} bytes`;
}

/** The message of an error, which a tree of JSON would cut at the edge. */
function messageOf({ status }: SentResponse, value: unknown): string | undefined {
  const { message } = Object(value) as { readonly message?: unknown };
  return status >= 400 && typeof message === 'string' ? message : undefined;
}

/** The client token among the members of a response. */
function tokenIn(value: unknown): string | undefined {
  const members: readonly unknown[] = Object.values(Object(value) as object);
  return members.find(
    (each) => typeof each === 'string' && each.startsWith(CREDENTIAL_PREFIX.clientToken),
  ) as string | undefined;
}

function toneOf(outcome: SentResponse | string | undefined): string {
  if (outcome === undefined) return 'dim';
  return typeof outcome === 'object' && outcome.status < 400 ? 'good' : 'bad';
}
