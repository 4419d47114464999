import { describe, expect, test } from 'vitest';
import type { ReceivedRequest } from '../../../src/cli/echo/answers.ts';
import { listeningEvent, requestEvent, tlsFailureEvent, echoView } from '../../../src/cli/echo/events.ts';
import { PLAIN } from '../../../src/cli/shell/output.ts';

const URLS = { httpUrl: 'http://127.0.0.1:1', httpsUrl: 'https://127.0.0.1:2' };
const FILES = { authority: '/x/ca.pem', server: '/x/server.pem', client: undefined };
const MUTUAL = { ...FILES, client: { certificate: '/x/client.pem', key: '/x/client-key.pem' } };

const request: ReceivedRequest = {
  number: 3,
  method: 'POST',
  target: '/checks?who=query-value',
  headers: { host: '127.0.0.1', 'x-secret': 'header-value' },
  body: Buffer.from('body-value'),
  bodyBytes: 10,
  tls: { version: 'TLSv1.3', client_certificate: 'CN=somebody' },
};
const ONE_EACH = { headers: { host: 'x' }, bodyBytes: 1 };

describe('a request', () => {
  test('requestEvent: has names and numbers, and no value', () => {
    const event = requestEvent(request, 201, false);
    expect(event).toEqual({
      type: 'request',
      number: 3,
      at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
      method: 'POST',
      path: '/checks',
      header_names: ['host', 'x-secret'],
      body_bytes: 10,
      tls: { version: 'TLSv1.3', client_certificate: 'CN=somebody' },
      status: 201,
    });
    expect(JSON.stringify(event)).not.toContain('-value');
  });

  test('requestEvent: has the values on request', () => {
    expect(requestEvent(request, 201, true).content).toEqual({
      query: '?who=query-value',
      headers: { host: '127.0.0.1', 'x-secret': 'header-value' },
      body: 'body-value',
      encoding: 'utf8',
    });
  });

  test('echoView: a request is one line without a value', () => {
    const line = echoView(requestEvent(request, 201, false), PLAIN);
    expect(line).toBe('#3  POST /checks  201  2 headers, 10 bytes  TLSv1.3  CN=somebody');
  });

  test('echoView: its values are below it on request', () => {
    const lines = echoView(requestEvent(request, 201, true), PLAIN).split('\n');
    expect(lines).toEqual([
      '#3  POST /checks?who=query-value  201  2 headers, 10 bytes  TLSv1.3  CN=somebody',
      '   host      127.0.0.1',
      '   x-secret  header-value',
      '   body-value',
    ]);
  });

  test.each<[string, Partial<ReceivedRequest>, boolean, string]>([
    ['one header is one header, and one byte one byte', ONE_EACH, false, '  1 header, 1 byte  '],
    ['a body that is no text is base64', { body: Buffer.from([0xff, 0x00]) }, true, '\n   base64 /wA='],
    ['requests over HTTP are marked', { tls: null }, false, '  no TLS'],
  ])('echoView: %s', (_, members, hasValues, shown) => {
    expect(echoView(requestEvent({ ...request, ...members }, 200, hasValues), PLAIN)).toContain(shown);
  });

  test('echoView: nothing of a request controls the terminal', () => {
    const escape = '\u001b]0;x\u0007';
    const hostile = {
      ...request,
      method: escape,
      target: `/${escape}?${escape}`,
      headers: { a: escape },
      body: Buffer.from(escape),
      tls: { version: escape, client_certificate: escape },
    };

    expect(echoView(requestEvent(hostile, 200, true), PLAIN)).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});

describe('the beginning', () => {
  test('listeningEvent: names the files, and the command that sends something', () => {
    expect(listeningEvent(URLS, FILES)).toEqual({
      type: 'listening',
      http_url: 'http://127.0.0.1:1',
      https_url: 'https://127.0.0.1:2',
      mutual_tls: false,
      ca_file: '/x/ca.pem',
      server_certificate_file: '/x/server.pem',
      client_certificate_file: null,
      client_key_file: null,
      send: expect.stringMatching(
        /^kyclone proxy send --target https:\/\/127\.0\.0\.1:2 --pin-cert \/x\/ca\.pem --id /,
      ) as string,
    });
  });

  test('listeningEvent: with mutual TLS the command shows the certificate', () => {
    const event = listeningEvent(URLS, MUTUAL);
    expect(event).toMatchObject({
      mutual_tls: true,
      client_certificate_file: '/x/client.pem',
      client_key_file: '/x/client-key.pem',
    });
    expect(event.send).toContain('--client-cert /x/client.pem --client-key /x/client-key.pem ');
  });

  test('listeningEvent: the command names the instance that the user named', () => {
    const { send } = listeningEvent({ ...URLS, instance: 'other' }, FILES);
    expect(send).toMatch(/^kyclone proxy send --instance other --target /);
  });

  test('listeningEvent: paths are words of a shell', () => {
    const { send } = listeningEvent(URLS, { ...FILES, authority: "/a b/it's/ca.pem" });
    expect(send).toContain(`--pin-cert '/a b/it'\\''s/ca.pem' `);
  });

  test('echoView: shows addresses, files and the command', () => {
    const shown = echoView(listeningEvent(URLS, MUTUAL), PLAIN);
    expect(shown).toMatch(/^http +http:\/\/127\.0\.0\.1:1$/m);
    for (const name of ['ca', 'server', 'client', 'client-key']) expect(shown).toContain(`  /x/${name}.pem`);
    expect(shown).toContain('\n$ kyclone proxy send ');
  });

  test('echoView: with mutual TLS the address is on its own line, so that a double click copies it', () => {
    const shown = echoView(listeningEvent(URLS, MUTUAL), PLAIN);
    expect(shown).toMatch(/^https +https:\/\/127\.0\.0\.1:2$/m);
    expect(shown).toMatch(/^mutual TLS +a client certificate is required$/m);
    expect(echoView(listeningEvent(URLS, FILES), PLAIN)).not.toContain('mutual TLS');
  });

  test('echoView: lists what the command needs to run', () => {
    const lines = echoView(listeningEvent(URLS, FILES), PLAIN).split('\n');
    const command = lines.findIndex((line) => line.startsWith('$ '));
    expect(lines[command - 1]).toBe("To send something here, with FP_ID set to a user's id:");
  });
});

test('echoView: a failed handshake is a line with the reason', () => {
  expect(echoView(tlsFailureEvent('the client spoke plain HTTP'), PLAIN)).toBe(
    'TLS handshake failed: the client spoke plain HTTP',
  );
});
