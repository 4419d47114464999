/**
 * Reads and checks the headers of the vault proxy together (contract §3.3). A missing or malformed header is
 * `invalid_request` naming it; values never occur in a message or a cause.
 */
import type { X509Certificate } from 'node:crypto';
import {
  HTTP_METHODS,
  PROXY_HEADERS,
  REASON_HEADER,
  type HttpMethod,
} from '../../contract/facts/requests.ts';
import { givenReason } from '../../kernel/reason.ts';
import { readForwarded, readForwardedContentType } from './forwarded-headers.ts';
import { INGRESS_RULE_HEADER } from './ingress-rules.ts';
import { headerLines, headerRefusal, singleText, texts, type HeaderLines } from './header-lines.ts';
import { readClientIdentity, readPins, type ClientIdentity } from './pem-header.ts';
import { PATH_HEADER, readTarget, TARGET_HEADER } from './proxy-target.ts';
import { defined } from '../../kernel/defined.ts';

export { headerNotes, outgoingHeaders } from './forwarded-headers.ts';

export interface ProxyRequest {
  /** The target with path and query appended, without user info and fragment. The egress policy checks its scheme. */
  readonly url: URL;
  readonly method: HttpMethod;
  /** As sent; its existence is checked elsewhere. */
  readonly fpId: string | undefined;
  /** Empty when none is given, or only blanks. */
  readonly reason: string;
  /** By lower-case name without the prefix; unchanged values, bytes as latin1. */
  readonly forwarded: Readonly<Record<string, string>>;
  readonly tls: { readonly pins: readonly X509Certificate[]; readonly client?: ClientIdentity };
  /** Header lines as sent, each with one or more rules. */
  readonly ingressRules: readonly string[];
}

export interface ReflectRequest {
  readonly fpId: string | undefined;
  /** Empty when none is given, or only blanks. */
  readonly reason: string;
  readonly contentType: string | undefined;
}

export const METHOD_HEADER = PROXY_HEADERS.method;
export const ENTITY_HEADER = PROXY_HEADERS.entity;
export const ACCESS_REASON_HEADER = PROXY_HEADERS.accessReason;
export const INGRESS_TYPE_HEADER = PROXY_HEADERS.ingressContentType;

/** `rawHeaders`: alternating names and values, as Node provides them. Throws `invalid_request`. */
export function readProxyHeaders(rawHeaders: readonly string[]): ProxyRequest {
  const lines = headerLines(rawHeaders);
  const url = readTarget(singleText(lines, TARGET_HEADER), singleText(lines, PATH_HEADER));
  const client = readClientIdentity(lines, url);
  return {
    url,
    method: readMethod(lines),
    fpId: readEntity(lines),
    reason: readReason(lines, ACCESS_REASON_HEADER),
    forwarded: readForwarded(lines),
    tls: { pins: readPins(lines, url), ...defined({ client }) },
    ingressRules: readIngressRules(lines),
  };
}

/** For `POST /vault_proxy/reflect`, which reads no other headers. Throws `invalid_request`. */
export function readReflectHeaders(rawHeaders: readonly string[]): ReflectRequest {
  const lines = headerLines(rawHeaders);
  return {
    fpId: readEntity(lines),
    reason: readReason(lines, REASON_HEADER),
    contentType: readForwardedContentType(lines),
  };
}

function readMethod(lines: HeaderLines): HttpMethod {
  const given = singleText(lines, METHOD_HEADER)?.toUpperCase();
  if (given === undefined) return 'POST';
  const method = HTTP_METHODS.find((known) => known === given);
  if (method === undefined) throw headerRefusal(METHOD_HEADER, `must be one of ${HTTP_METHODS.join(', ')}`);
  return method;
}

const ENTITY = /^fp_[A-Za-z0-9_]+$/;

function readEntity(lines: HeaderLines): string | undefined {
  const fpId = singleText(lines, ENTITY_HEADER);
  if (fpId !== undefined && !ENTITY.test(fpId)) {
    throw headerRefusal(ENTITY_HEADER, 'must be fp_ and letters, digits or _');
  }
  return fpId;
}

/** The limit of a reason in a body (`Reason` in contract/vault.ts). */
const MAX_REASON_CHARACTERS = 1000;

function readReason(lines: HeaderLines, header: string): string {
  const reason = givenReason(singleText(lines, header)) ?? '';
  if (Array.from(reason).length > MAX_REASON_CHARACTERS) {
    throw headerRefusal(header, `is longer than ${MAX_REASON_CHARACTERS} characters`);
  }
  return reason;
}

const INGRESS_TYPE = /^(?:application\/)?json(?: *; *charset=(?:[\w-]+|"[\w-]+"))?$/i;

function readIngressRules(lines: HeaderLines): string[] {
  const rules = texts(lines, INGRESS_RULE_HEADER);
  const contentType = singleText(lines, INGRESS_TYPE_HEADER);
  if (contentType === undefined && rules.length > 0) {
    throw headerRefusal(INGRESS_TYPE_HEADER, `is missing: ${INGRESS_RULE_HEADER} needs it`);
  }
  if (contentType !== undefined && !INGRESS_TYPE.test(contentType)) {
    throw headerRefusal(INGRESS_TYPE_HEADER, 'must be json');
  }
  return rules;
}
