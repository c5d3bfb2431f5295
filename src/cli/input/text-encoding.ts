/** The text of a file, or why it is not text. UTF-8; with a byte order mark also UTF-16, which kubectl reads too. */
export function decodeText(bytes: Uint8Array): { readonly text: string } | { readonly error: string } {
  const encoding = detectEncoding(bytes);
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) };
  } catch {
    return { error: `it is no ${encoding.toUpperCase()} text; save it as UTF-8` };
  }
}

function detectEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
