import { isObjectOrList } from '../../state/kernel/objects.ts'
/** Parameters of a query string with the semantics of Go servers. */
export class Query {
  readonly #parameters: Readonly<Record<string, unknown>>

  /** @param parsed query in the form in which Fastify parses it */
  constructor(parsed: unknown) {
    this.#parameters = isObjectOrList(parsed) ? parsed : {}
  }

  /** Returns true if the parameter is present, with or without a value. */
  has(name: string): boolean {
    return Object.hasOwn(this.#parameters, name)
  }

  /**
   * Returns the first value of a parameter; undefined if the parameter is missing or that value is
   * empty.
   */
  readonly value = (name: string): string | undefined => {
    const sent = this.has(name) ? this.#parameters[name] : undefined
    const first = Array.isArray(sent) ? sent[0] : sent
    return typeof first === 'string' && first !== '' ? first : undefined
  }

  /** Returns all values of the parameter, including empty ones. */
  all(name: string): readonly string[] {
    const sent = this.has(name) ? [this.#parameters[name]].flat() : []
    return sent.map(String)
  }

  /** Encodes the query as Go does: parameters are sorted by name, and values are escaped. */
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

/** Escapes a text for a query string as Go does. */
function escapeGo(text: string): string {
  const escaped = encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return escaped.replaceAll('%20', '+')
}
