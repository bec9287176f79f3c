import type { Visit } from '../http/visit.ts'
import { shownBody, shownHeaders, shownPath, shownQuery } from '../journal/entry.ts'
import type { Fingerprint } from '../journal/fingerprint.ts'

/** A request without its secrets, and how they are kept out of other texts. */
export interface Hiding {
  readonly path: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** Puts fingerprints into a text where the request's secrets stand in it. */
  text(plain: string): string
}

/** Shorter ones would be found by chance. */
const shortest = 4

/** Takes the secrets out of a request. */
export function hidingOf(visit: Visit, fingerprint: Fingerprint): Hiding {
  const secrets = new Map<string, string>()
  const noting: Fingerprint = (secret) => {
    const shown = fingerprint(secret)
    if (secret.length >= shortest) secrets.set(secret, shown)
    return shown
  }
  const path = shownPath(visit, noting)
  const query = shownQuery(visit, noting)
  const headers = shownHeaders(visit.headers, visit, noting)
  const body = shownBody(visit, noting)
  return {
    path,
    query,
    headers,
    body,
    text(plain) {
      let text = plain
      for (const [secret, shown] of secrets) text = text.replaceAll(secret, shown)
      return text
    },
  }
}
