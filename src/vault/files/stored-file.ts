/**
 * The descriptor of a file in a vault: the location of its sealed bytes and how to open them. It is sealed like any
 * value.
 */
export class StoredFile {
  /** The name of the blob. */
  readonly blob: string;
  /** 32 bytes that seal only this file. */
  readonly key: Uint8Array;
  /** As declared at the upload. */
  readonly contentType: string;
  /** Length of the plaintext. */
  readonly bytes: number;
  /** SHA-256 of the plaintext, lower-case hex. */
  readonly sha256: string;

  constructor(members: {
    blob: string;
    key: Uint8Array;
    contentType: string;
    bytes: number;
    sha256: string;
  }) {
    this.blob = members.blob;
    this.key = members.key;
    this.contentType = members.contentType;
    this.bytes = members.bytes;
    this.sha256 = members.sha256;
  }
}
