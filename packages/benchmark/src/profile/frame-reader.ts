/** Data frames of one direction of a WebSocket, as they are on the wire: compressed where the sides agreed on that. */
export interface Traffic {
  frames: number;
  /** With the frames' own headers. */
  bytes: number;
}

const END_OF_HTTP = '\r\n\r\n';
const FIRST_CONTROL_OPCODE = 8;

/** Reads one direction of a connection, from its HTTP message on, and counts its data frames in `traffic` (RFC 6455, 5.2). */
export class FrameReader {
  readonly #traffic: Traffic;
  #pending: Buffer = Buffer.alloc(0);
  #upgraded = false;
  /** Bytes of the current frame that have not come yet. */
  #missing = 0;

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
  }

  /** Takes the next bytes, however they are cut. */
  read(chunk: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    if (!this.#upgraded) {
      const end = this.#pending.indexOf(END_OF_HTTP);
      if (end < 0) return;
      this.#upgraded = true;
      this.#pending = this.#pending.subarray(end + END_OF_HTTP.length);
    }
    for (;;) {
      const skipped = Math.min(this.#missing, this.#pending.length);
      this.#missing -= skipped;
      this.#pending = this.#pending.subarray(skipped);
      if (this.#missing > 0 || !this.#readHeader()) return;
    }
  }

  #readHeader(): boolean {
    const bytes = this.#pending;
    if (bytes.length < 2) return false;
    const short = bytes[1] & 0x7f;
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
    if (bytes.length < 2 + lengthBytes) return false;
    const payload =
      lengthBytes === 0 ? short : lengthBytes === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
    const maskBytes = bytes[1] & 0x80 ? 4 : 0;
    this.#missing = 2 + lengthBytes + maskBytes + payload;
    if ((bytes[0] & 0x0f) < FIRST_CONTROL_OPCODE) {
      this.#traffic.frames++;
      this.#traffic.bytes += this.#missing;
    }
    return true;
  }
}
