import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { redactedBody, redactedHeaders, redactedPath, redactedQuery } from '../journal/entry.ts'
import type { Fingerprint } from '../journal/fingerprint.ts'

/** A request without its secrets, and how they are kept out of other texts. */
export interface Redactor {
  readonly path: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** Shows other headers, as the request's own are. */
  redactHeaders(headers: RequestRecord['headers']): Readonly<Record<string, string>>
  /** Puts fingerprints into a text where the request's secrets stand in it. */
  text(plain: string): string
}

/** Still shorter ones are not looked for: numbers and the like stand everywhere. */
const minSecretLength = 4

/** Secrets of fewer characters are found as whole words alone; they may be parts of other words. */
const minDistinctLength = 8

/** Takes the secrets out of a request. */
export function redactorFor(record: RequestRecord, fingerprint: Fingerprint): Redactor {
  const secrets = new Map<string, string>()
  const recordingFingerprint: Fingerprint = (secret) => {
    const replacement = fingerprint(secret)
    if (secret.length >= minSecretLength) secrets.set(secret, replacement)
    return replacement
  }
  const headers = redactedHeaders(record.headers, record, recordingFingerprint)
  // A token as short as `root` is a word of many texts, and none of them is about it.
  for (const token of secrets.keys()) if (token.length < minDistinctLength) secrets.delete(token)
  const path = redactedPath(record, recordingFingerprint)
  const query = redactedQuery(record, recordingFingerprint)
  const body = redactedBody(record, recordingFingerprint)
  return {
    path,
    query,
    headers,
    body,
    redactHeaders: (plain) => redactedHeaders(plain, record, fingerprint),
    text(plain) {
      let text = plain
      for (const [secret, replacement] of secrets) text = replaceSecret(text, secret, replacement)
      return text
    },
  }
}

function replaceSecret(text: string, secret: string, replacement: string): string {
  if (secret.length >= minDistinctLength) return text.replaceAll(secret, replacement)
  return text.replaceAll(
    new RegExp(`(?<![\\w/-])${escapeRegex(secret)}(?![\\w/-])`, 'g'),
    replacement,
  )
}

function escapeRegex(text: string): string {
  return text.replaceAll(/[^\w\s]/g, '\\$&')
}
