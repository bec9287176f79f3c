/** Size of the pieces in which a string is read, in UTF-16 code units. */
const pieceLength = 65_536

/**
 * Returns how many characters at the beginning of a string match an expression that repeats one
 * character class, for example `^[0-9]*`. Strings may be many megabytes long: they are read in
 * pieces, because an expression over the whole text may exhaust the engine's stack.
 */
export function leadingLength(text: string, characters: RegExp): number {
  for (let start = 0; start < text.length; start += pieceLength) {
    const piece = text.slice(start, start + pieceLength)
    const length = characters.exec(piece)?.[0].length ?? 0
    if (length < piece.length) return start + length
  }
  return text.length
}
