/**
 * Writes a request as code that runs as it stands. Credentials and the address of the instance come from the
 * environment (`kyclone env`). One that was typed into a field is cut after its prefix, so the code contains none.
 */
import { curlText } from '../../kernel/text/curl-text.ts';
import { withoutCredentials } from '../../kernel/ids/ids.ts';
import { shWord } from '../../kernel/text/shell-word.ts';
import type { BuiltRequest } from './request-draft.ts';
import type { CredentialKind } from './request-operations.ts';

export const CODE_LANGUAGES = ['curl', 'Node', 'Python', 'Go', 'Java'] as const;
export type CodeLanguage = (typeof CODE_LANGUAGES)[number];

/** A request whose body may be a file, which is named but not contained. */
export type CodeRequest = BuiltRequest & { readonly file?: string | undefined };

const BASE = 'KYCLONE_BASE_URL';

interface Credential {
  readonly header: string;
  readonly prefix: string;
  readonly variable: string;
}

const CREDENTIALS: Readonly<Record<CredentialKind, Credential | undefined>> = {
  key: { header: 'x-service-secret-key', prefix: '', variable: 'KYCLONE_API_KEY' },
  token: { header: 'x-fp-authorization', prefix: '', variable: 'CLIENT_TOKEN' },
  control: { header: 'authorization', prefix: 'Bearer ', variable: 'KYCLONE_CONTROL_TOKEN' },
  none: undefined,
};

const WRITERS: Readonly<Record<CodeLanguage, (request: CodeRequest) => string>> = {
  curl: curlCode,
  Node: nodeCode,
  Python: pythonCode,
  Go: goCode,
  Java: javaCode,
};

/** Node 18, Python 3, Go 1.16 and Java 11 or newer; nothing else needs to be installed. */
export function requestCode(language: CodeLanguage, request: CodeRequest): string {
  return `${withoutCredentials(WRITERS[language](request))}\n`;
}

function curlCode({ method, path, credential, headers, body, file }: CodeRequest): string {
  return curlText({
    options: method === 'HEAD' ? ['-I'] : [],
    method,
    isMethodGiven: method === 'HEAD' || (method === 'GET' && body === undefined),
    url: `"$${BASE}"${shWord(path)}`,
    credential: credential === 'key' || credential === 'control' ? credential : undefined,
    headers: [
      ...(credential === 'token' ? ['"x-fp-authorization: $CLIENT_TOKEN"'] : []),
      ...Object.entries(headers).map(([name, value]) => shWord(`${name}: ${value}`)),
    ],
    body:
      file !== undefined
        ? [`--data-binary ${shWord(`@${file}`)}`]
        : body === undefined
          ? []
          : [`--data-raw ${shWord(body)}`],
  });
}

/** The headers as lines of a language: the credential from its variable, the others as texts. */
function headerLines(
  { credential, headers }: CodeRequest,
  write: (name: string, value: string) => string,
  { quote, variable }: { quote: (text: string) => string; variable: (name: string) => string },
): string[] {
  const own = CREDENTIALS[credential];
  const prefix = own?.prefix ? `${quote(own.prefix)} + ` : '';
  return [
    ...(own ? [write(quote(own.header), prefix + variable(own.variable))] : []),
    ...Object.entries(headers).map(([name, value]) => write(quote(name), quote(value))),
  ];
}

function nodeCode(request: CodeRequest): string {
  const { method, path, body, file } = request;
  const headers = headerLines(request, (name, value) => `    ${name}: ${value},`, {
    quote,
    variable: (name) => `process.env.${name}`,
  });
  return [
    ...(file === undefined ? [] : ["import { readFileSync } from 'node:fs';", '']),
    `const response = await fetch(process.env.${BASE} + ${quote(path)}, {`,
    `  method: ${quote(method)},`,
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(file === undefined ? [] : [`  body: readFileSync(${quote(file)}),`]),
    ...(body === undefined ? [] : [`  body: ${quote(body)},`]),
    '});',
    'console.log(response.status, await response.text());',
  ].join('\n');
}

function pythonCode(request: CodeRequest): string {
  const { method, path, body, file } = request;
  const headers = headerLines(request, (name, value) => `        ${name}: ${value},`, {
    quote,
    variable: (name) => `os.environ["${name}"]`,
  });
  return [
    'import os',
    'import urllib.error',
    'import urllib.request',
    '',
    'request = urllib.request.Request(',
    `    os.environ["${BASE}"] + ${quote(path)},`,
    `    method=${quote(method)},`,
    ...(headers.length === 0 ? [] : ['    headers={', ...headers, '    },']),
    ...(file === undefined ? [] : [`    data=open(${quote(file)}, "rb").read(),`]),
    ...(body === undefined ? [] : [`    data=${quote(body)}.encode(),`]),
    ')',
    'try:',
    '    response = urllib.request.urlopen(request)',
    'except urllib.error.HTTPError as error:',
    '    response = error',
    'print(response.status, response.read().decode())',
  ].join('\n');
}

function goCode(request: CodeRequest): string {
  const { method, path, body, file } = request;
  const imports = ['fmt', 'io', 'net/http', 'os', ...(body === undefined ? [] : ['strings'])];
  const headers = headerLines(request, (name, value) => `\trequest.Header.Set(${name}, ${value})`, {
    quote,
    variable: (name) => `os.Getenv("${name}")`,
  });
  const panics = '\tif err != nil {\n\t\tpanic(err)\n\t}';
  const content =
    file !== undefined ? 'file' : body === undefined ? 'nil' : `strings.NewReader(${quote(body)})`;
  return [
    'package main',
    '',
    'import (',
    ...imports.map((name) => `\t"${name}"`),
    ')',
    '',
    'func main() {',
    ...(file === undefined ? [] : [`\tfile, err := os.Open(${quote(file)})`, panics]),
    `\trequest, err := http.NewRequest(${quote(method)}, os.Getenv("${BASE}")+${quote(path)}, ${content})`,
    panics,
    ...headers,
    '\tresponse, err := http.DefaultClient.Do(request)',
    panics,
    '\tdefer response.Body.Close()',
    '\ttext, err := io.ReadAll(response.Body)',
    panics,
    '\tfmt.Println(response.StatusCode, string(text))',
    '}',
  ].join('\n');
}

function javaCode(request: CodeRequest): string {
  const { method, path, body, file } = request;
  const headers = headerLines(request, (name, value) => `        .header(${name}, ${value})`, {
    quote: javaQuote,
    variable: (name) => `System.getenv("${name}")`,
  });
  const publisher =
    file !== undefined
      ? `ofFile(Path.of(${javaQuote(file)}))`
      : body === undefined
        ? 'noBody()'
        : `ofString(${javaQuote(body)})`;
  return [
    'import java.net.URI;',
    'import java.net.http.HttpClient;',
    'import java.net.http.HttpRequest;',
    'import java.net.http.HttpRequest.BodyPublishers;',
    'import java.net.http.HttpResponse.BodyHandlers;',
    ...(file === undefined ? [] : ['import java.nio.file.Path;']),
    '',
    'public class Request {',
    '  public static void main(String[] args) throws Exception {',
    `    var request = HttpRequest.newBuilder(URI.create(System.getenv("${BASE}") + ${javaQuote(path)}))`,
    ...headers,
    `        .method(${javaQuote(method)}, BodyPublishers.${publisher})`,
    '        .build();',
    '    var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());',
    '    System.out.println(response.statusCode() + " " + response.body());',
    '  }',
    '}',
  ].join('\n');
}

/** The escapes of JSON are also those of JavaScript, Python and Go. */
function quote(text: string): string {
  return JSON.stringify(text);
}

/** In ASCII, because javac reads sources in the encoding of the machine. */
function javaQuote(text: string): string {
  return quote(text).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
