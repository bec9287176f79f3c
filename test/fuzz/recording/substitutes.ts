import { textOf, type WireReply, type WireRequest } from './format.ts'
import { type Json, membersOf, parse } from './names.ts'

/** Minimum length of a substituted text; shorter texts may be equal by chance. */
const shortest = 16

/**
 * Map from recorded random values, such as signatures and keys, to those of the replayed server.
 * Later requests send the replayed server's values.
 */
export class Substitutes {
  readonly #values = new Map<string, string>()

  /** Stores each pair of different texts at the same location in the two replies. */
  learn(recorded: WireReply, replayed: WireReply): void {
    const [ours, theirs] = [textOf(recorded.body), textOf(replayed.body)]
    if (ours === theirs) return
    this.#pair(parse(ours), parse(theirs))
  }

  #pair(ours: Json, theirs: Json): void {
    if (typeof ours === 'string' && typeof theirs === 'string') {
      if (ours !== theirs && ours.length >= shortest) this.#values.set(ours, theirs)
      return
    }
    const others = new Map(membersOf(theirs))
    for (const [name, member] of membersOf(ours)) this.#pair(member, others.get(name))
  }

  /** Returns the request with all known texts replaced. */
  apply(request: WireRequest): WireRequest {
    if (this.#values.size === 0) return request
    const { body, headers, url } = request
    return {
      ...request,
      url: url.replaceAll(/[^/?&=]{16,}/g, (part) => {
        const value = this.#values.get(decoded(part))
        return value === undefined ? part : value.split('/').map(encodeURIComponent).join('/')
      }),
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, this.#header(value)]),
      ),
      ...(typeof body === 'string' ? { body: this.#body(body) } : body && { body }),
    }
  }

  #header(value: string): string {
    const [, scheme = '', token = ''] = /^(Bearer )?(.*)$/s.exec(value) ?? []
    return scheme + (this.#values.get(token) ?? token)
  }

  #body(text: string): string {
    if (text.length > 100_000) return text
    return text.replaceAll(/"((?:[^"\\]|\\.){16,})"/g, (literal) => {
      const value = this.#values.get(String(parse(literal)))
      return value === undefined ? literal : JSON.stringify(value)
    })
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
