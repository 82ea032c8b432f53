/** What the connections of an object have sent and received, since it woke. */
export class Traffic {
  framesReceived = 0;
  framesSent = 0;
  bytesReceived = 0;
  bytesSent = 0;

  received({ length }: Uint8Array): void {
    this.framesReceived++;
    this.bytesReceived += length;
  }

  sent({ length }: Uint8Array): void {
    this.framesSent++;
    this.bytesSent += length;
  }
}
