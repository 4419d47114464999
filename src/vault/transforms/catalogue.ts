/** One argument as written in a chain: an unquoted integer or a quoted string (contract §3.1). */
export interface ArgumentDescription {
  readonly name: string;
  readonly kind: 'integer' | 'string';
}

/** The description of a transform for documentation and command help. */
export interface TransformDescription {
  readonly arguments: readonly ArgumentDescription[];
  readonly description: string;
  readonly example: string;
  /** The input of the example; undefined when its output differs at each run. */
  readonly input?: string;
}

const integer = (name: string): ArgumentDescription => ({ name, kind: 'integer' });
const string = (name: string): ArgumentDescription => ({ name, kind: 'string' });

/**
 * Every transform of contract §3.2, in the order of the contract. Arity and argument kinds are checked by this table.
 */
export const TRANSFORMS = {
  to_lowercase: {
    arguments: [],
    description: 'Unicode lower case, the same in every locale',
    example: 'to_lowercase',
    input: 'JANE',
  },
  to_uppercase: {
    arguments: [],
    description: 'Unicode upper case, the same in every locale',
    example: 'to_uppercase',
    input: 'jane',
  },
  to_ascii: {
    arguments: [],
    description: 'Letters without their marks (é becomes e, ß becomes ss); what has no ASCII form is dropped',
    example: 'to_ascii',
    input: 'Zoë Weiß',
  },
  prefix: {
    arguments: [integer('n')],
    description: 'The first n code points, n at least 1; a shorter value is kept whole',
    example: 'prefix(3)',
    input: '62701-1234',
  },
  suffix: {
    arguments: [integer('n')],
    description: 'The last n code points, n at least 1; a shorter value is kept whole',
    example: 'suffix(4)',
    input: '123456789',
  },
  replace: {
    arguments: [string('from'), string('to')],
    description: 'Every occurrence of a literal text, left to right; from is not empty',
    example: "replace('-','')",
    input: '12-3456789',
  },
  date_format: {
    arguments: [string('from'), string('to')],
    description: 'Reads the whole value by one strftime pattern and prints it by another, in UTC and English',
    example: "date_format('%Y-%m-%d','%m/%d/%Y')",
    input: '1988-12-30',
  },
  hmac_sha256: {
    arguments: [string('key')],
    description: 'HMAC-SHA256 under a hex key, over the UTF-8 text or the bytes of a file; lower-case hex',
    example: "hmac_sha256('0b0b0b0b')",
    input: 'jane@example.com',
  },
  encrypt: {
    arguments: [string('algorithm'), string('public_key')],
    description:
      'Encrypts to a hex public key by rsa_pkcs1v15, ecies_p256_x963_sha256_aes_gcm or x25519_xsalsa20_poly1305; ' +
      'lower-case hex',
    example: "encrypt('rsa_pkcs1v15','<hex of the DER public key>')",
  },
  wrap_quotes: {
    arguments: [],
    description: 'Puts double quotes around the value; the value inside is not escaped',
    example: 'wrap_quotes',
    input: 'Jane',
  },
} as const satisfies Record<string, TransformDescription>;

export type TransformName = keyof typeof TRANSFORMS;

/** The names of all transforms, in the order of the contract. */
export const TRANSFORM_NAMES = Object.keys(TRANSFORMS) as readonly TransformName[];

export function isTransformName(name: string): name is TransformName {
  return Object.hasOwn(TRANSFORMS, name);
}
