/** What comes before the text of a frame that has bytes behind it: the text's length. */
const LENGTH_BYTES = 4;

/** A frame as it goes over the network: its text, and how many bytes are behind that. */
export function FrameText({ message }: { readonly message: string | Uint8Array }) {
  const { text, rest } = typeof message === 'string' ? { text: message, rest: 0 } : takeApart(message);
  return (
    <div>
      <pre class="code">{text}</pre>
      {rest > 0 && <p class="note">Behind the text: {rest} bytes, as they are</p>}
    </div>
  );
}

function takeApart(message: Uint8Array): { text: string; rest: number } {
  const end = LENGTH_BYTES + new DataView(message.buffer, message.byteOffset).getUint32(0);
  return { text: new TextDecoder().decode(message.subarray(LENGTH_BYTES, end)), rest: message.length - end };
}
