/**
 * Version texts: the UTC hour of activation as `yyyyMMddHH`; digits of minutes, then seconds, then more are
 * appended until the text is unused, so that a client that compares texts always sees a change.
 */
export function versionText(at: number, isUsed: (text: string) => boolean): string {
  const digits = new Date(at).toISOString().replace(/\D/g, ""); // yyyyMMddHHmmssSSS
  for (const length of [10, 12, 14, 17]) {
    const text = digits.slice(0, length);
    if (!isUsed(text)) return text;
  }
  for (let n = 1; ; n++) {
    const text = `${digits}${n}`;
    if (!isUsed(text)) return text;
  }
}
