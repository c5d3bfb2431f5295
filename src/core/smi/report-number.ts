/** A number as a report prints it. */
export function readCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** `40960 MiB` */
export function readMib(text: string | undefined): number | undefined {
  return readCount(/^(\d+) MiB$/.exec(text ?? '')?.[1]);
}
