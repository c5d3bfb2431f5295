/**
 * Lines of at most `width` characters, broken at spaces; a longer word stays whole. Leading spaces stay.
 *
 * @param indent of lines after the first
 */
export function wrapHanging(text: string, width: number, indent = ''): readonly string[] {
  const lines: string[] = [];
  const [first = '', ...words] = text.trimStart().split(' ');
  let line = text.slice(0, text.length - text.trimStart().length) + first;
  for (const word of words) {
    if (line.length + 1 + word.length > width) {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = `${line} ${word}`;
  }
  return [...lines, line];
}
