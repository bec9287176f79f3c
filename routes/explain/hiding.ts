import type { RequestRecord } from '../http/visit.ts'
import { shownBody, shownHeaders, shownPath, shownQuery } from '../journal/entry.ts'
import type { Fingerprint } from '../journal/fingerprint.ts'

/** A request without its secrets, and how they are kept out of other texts. */
export interface Hiding {
  readonly path: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** Shows other headers, as the request's own are. */
  others(headers: RequestRecord['headers']): Readonly<Record<string, string>>
  /** Puts fingerprints into a text where the request's secrets stand in it. */
  text(plain: string): string
}

/** Still shorter ones are not looked for: numbers and the like stand everywhere. */
const shortest = 4

/** Secrets of fewer characters are found as whole words alone; they may be parts of other words. */
const longEnough = 8

/** Takes the secrets out of a request. */
export function hidingOf(record: RequestRecord, fingerprint: Fingerprint): Hiding {
  const secrets = new Map<string, string>()
  const noting: Fingerprint = (secret) => {
    const shown = fingerprint(secret)
    if (secret.length >= shortest) secrets.set(secret, shown)
    return shown
  }
  const headers = shownHeaders(record.headers, record, noting)
  // A token as short as `root` is a word of many texts, and none of them is about it.
  for (const token of secrets.keys()) if (token.length < longEnough) secrets.delete(token)
  const path = shownPath(record, noting)
  const query = shownQuery(record, noting)
  const body = shownBody(record, noting)
  return {
    path,
    query,
    headers,
    body,
    others: (plain) => shownHeaders(plain, record, fingerprint),
    text(plain) {
      let text = plain
      for (const [secret, shown] of secrets) text = replaced(text, secret, shown)
      return text
    },
  }
}

function replaced(text: string, secret: string, shown: string): string {
  if (secret.length >= longEnough) return text.replaceAll(secret, shown)
  return text.replaceAll(new RegExp(`(?<![\\w/-])${escaped(secret)}(?![\\w/-])`, 'g'), shown)
}

function escaped(text: string): string {
  return text.replaceAll(/[^\w\s]/g, '\\$&')
}
