/** The part of protobuf's wire format that PodResources needs: fields with a length in front (wire type 2). */

export function encodeText(field: number, text: string): Buffer {
  return encodeField(field, Buffer.from(text));
}

/** @param parts the encoded fields of the inner message */
export function encodeMessage(field: number, parts: readonly Buffer[]): Buffer {
  return encodeField(field, Buffer.concat(parts));
}

function encodeField(field: number, content: Buffer): Buffer {
  return Buffer.concat([encodeVarint((field << 3) | 2), encodeVarint(content.length), content]);
}

/** Seven bits a byte, the lowest first; the top bit says that more follow. */
function encodeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  return Buffer.from([...bytes, rest]);
}
