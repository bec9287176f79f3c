/** The parameters of a query string, as Go's servers look at them. */
export class Query {
  readonly #parameters: Readonly<Record<string, unknown>>

  /** @param parsed what Fastify made of the query string */
  constructor(parsed: unknown) {
    this.#parameters = isRecord(parsed) ? parsed : {}
  }

  /** Tells whether the parameter is there, with a value or without. */
  has(name: string): boolean {
    return Object.hasOwn(this.#parameters, name)
  }

  /** The first value; undefined when there is none or it is empty. */
  readonly value = (name: string): string | undefined => {
    const sent = this.has(name) ? this.#parameters[name] : undefined
    const first = Array.isArray(sent) ? sent[0] : sent
    return typeof first === 'string' && first !== '' ? first : undefined
  }

  /** Every value of the parameter, empty ones too. */
  all(name: string): readonly string[] {
    const sent = this.has(name) ? [this.#parameters[name]].flat() : []
    return sent.map(String)
  }

  /** The whole of it as Go writes it again: by name, each value escaped. */
  encode(): string {
    const parts = Object.keys(this.#parameters)
      .sort()
      .flatMap((name) => {
        const values = [this.#parameters[name]].flat()
        return values.map((value) => `${escapeGo(name)}=${escapeGo(String(value))}`)
      })
    return parts.join('&')
  }
}

function isRecord(parsed: unknown): parsed is Readonly<Record<string, unknown>> {
  return typeof parsed === 'object' && parsed !== null
}

/** Escapes as Go does for query strings. */
function escapeGo(text: string): string {
  const escaped = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return escaped.replaceAll('%20', '+')
}
