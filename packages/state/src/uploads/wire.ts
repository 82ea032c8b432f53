/** Bytes of a part of a file, which is a row: far below the 2 MB that a row may have. */
export const PART_BYTES = 524_288;

/** A file that is complete. */
export interface UploadedFile {
  /** The id by which the object finds the file. It cannot be guessed. */
  readonly id: string;
  /** The name that the client has given. */
  readonly name: string;
  /** The media type that the client has given; empty if none. */
  readonly type: string;
  /** Number of bytes. */
  readonly size: number;
  /** The SHA-256 of the bytes, in hexadecimal: the object has compared it. */
  readonly sha256: string;
}

/** A file that a client wants to upload. The same description goes on with the same upload. */
export interface Description {
  /** The name of the file. */
  readonly name: string;
  /** Its media type; empty if it has none. */
  readonly type: string;
  /** Number of bytes. */
  readonly size: number;
  /** The SHA-256 of its bytes. */
  readonly sha256: Uint8Array;
  /** Tells uploads of the same file apart. */
  readonly key: string;
  /** A random name of the call of `upload()`, which may cancel what it has finished itself. */
  readonly by: string;
}

/** An upload that has begun: where to go on, or the file if that is complete. */
export interface Begun {
  /** The number of the upload, for its parts. */
  readonly upload: number;
  /** Number of bytes that are stored. */
  readonly received: number;
  /** The file, if it is complete. */
  readonly file?: UploadedFile | undefined;
}
