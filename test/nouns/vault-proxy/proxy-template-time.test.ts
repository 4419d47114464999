import { describe, expect, it } from 'vitest';
import type { Escaping } from '../../../src/nouns/vault-proxy/service/body-format.ts';
import { findTokens } from '../../../src/nouns/vault-proxy/service/proxy-template.ts';
import { JSON_TYPE, parse, TEXT_TYPE } from './a-template.ts';

describe('time taken', () => {
  const bodies: [string, (length: number) => string][] = [
    ['braces', (length) => '{'.repeat(length)],
    ['braces before one that closes', (length) => `${'{'.repeat(length)}}}`],
    ['open braces before one that closes', (length) => `${'{{ '.repeat(length / 3)}}}`],
    ['open braces of others before one that closes', (length) => `${'{{x'.repeat(length / 3)}}}`],
    ['braces of others', (length) => '{{ x }}'.repeat(length / 7)],
    ['empty braces', (length) => '{{}}'.repeat(length / 4)],
    ['closing braces', (length) => '}'.repeat(length)],
    ['blanks behind braces', (length) => `{{${' '.repeat(length)}}}`],
    ['long blanks behind many braces', (length) => `{{${' '.repeat(98)}`.repeat(length / 100) + '}}'],
    ['escaped blanks behind braces', (length) => `"{{${'\\n'.repeat(length / 2)}x}}`],
    ['beginnings of tokens', (length) => `${'{{investor_profile'.repeat(length / 18)}}}`],
    ['quotes', (length) => `${'"'.repeat(length)}{{ id.dob }}`],
    ['strings around braces of others', (length) => '"{{ x }}" '.repeat(length / 10)],
    ['backslashes in a string', (length) => `"${'\\'.repeat(length)}{{ x }}`],
    ['tokens never closed', (length) => '{{ id.dob '.repeat(length / 10)],
  ];

  /** Returns a text that counts how many of its characters are read. */
  function countingText(text: string): { text: string; looked: () => number } {
    let looked = 0;
    const members: Record<string, unknown> = {
      length: text.length,
      indexOf: (sought: string, from: number) => {
        const found = text.indexOf(sought, from);
        looked += (found === -1 ? text.length : found + sought.length) - from;
        return found;
      },
      startsWith: (start: string, at: number) => {
        looked += start.length;
        return text.startsWith(start, at);
      },
      slice: (start: number, end: number) => {
        looked += end - start;
        return text.slice(start, end);
      },
    };
    const counting = new Proxy(members, {
      get: (_members, member) => {
        if (typeof member === 'symbol') throw new TypeError('this text is not for reading whole');
        if (!/^[0-9]+$/.test(member)) return members[member];
        looked++;
        return text[Number(member)];
      },
    });
    return { text: counting as unknown as string, looked: () => looked };
  }

  it.each(bodies)('findTokens: looks at each character a bounded number of times in %s', (_case, bodyOf) => {
    for (const escaping of ['json', 'none'] satisfies Escaping[]) {
      const length = 6_300;
      const { text, looked } = countingText(bodyOf(length));
      expect([...findTokens(text, escaping)].length).toBeLessThanOrEqual(1);
      expect(looked()).toBeLessThan(length * 80);
    }
  });

  it.each([
    ...bodies,
    ['an unclosed quote', (length: number) => `{{ id.dob | replace('${'a'.repeat(length)}}}`],
  ] as typeof bodies)('parseTemplate: finishes on 256 KiB of %s', (_case, bodyOf) => {
    const body = bodyOf(262_000);
    for (const type of [JSON_TYPE, TEXT_TYPE]) {
      try {
        const template = parse(body, type);
        expect(template.render(template.tokens.map(() => ''))).toBeInstanceOf(Buffer);
      } catch (error) {
        expect(error).toMatchObject({ code: 'proxy_token_invalid' });
      }
    }
  });
});
