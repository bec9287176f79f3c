/**
 * JSON that is written already. What a row looks like is worked out once, and replies join the texts
 * of their rows.
 */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A list of values that are JSON texts. */
export function jsonList(items: readonly string[]): JsonText {
  return new JsonText(`[${items.join(',')}]`)
}
