/**
 * Returns what a sticky pattern (flag `y`) matches at an offset, if anything. All use of such
 * patterns goes through here: a pattern carries its position with it, which is set anew each time
 * and not read afterwards, so module-level patterns hold nothing from one text to the next.
 */
export function matchAt(
  pattern: RegExp,
  text: string,
  offset: number,
): RegExpExecArray | undefined {
  pattern.lastIndex = offset
  return pattern.exec(text) ?? undefined
}
