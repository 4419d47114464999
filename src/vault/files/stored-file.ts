/** What a vault keeps of a file: where its sealed bytes are and how to open them. Itself sealed like any value. */
export class StoredFile {
  /** The name of its sealed bytes in the store's folder. */
  readonly blob: string;
  /** 32 bytes that seal this file and no other. */
  readonly key: Uint8Array;
  /** As it was declared at the upload. */
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
