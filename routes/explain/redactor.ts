import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { redactedBody, redactedHeaders, redactedPath, redactedQuery } from '../journal/entry.ts'
import type { Fingerprint } from '../journal/fingerprint.ts'

/** A request whose secrets are redacted, and functions that redact them in other texts. */
export interface Redactor {
  readonly path: string
  readonly query: Readonly<Record<string, string | readonly string[]>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** Redacts the given headers by the rules that apply to the headers of the request. */
  redactHeaders(headers: RequestRecord['headers']): Readonly<Record<string, string>>
  /** Replaces the secrets of the request in a text with their fingerprints. */
  redactText(plain: string): string
}

/** Minimum length of a secret to search for. Shorter secrets, such as numbers, occur everywhere. */
const minSecretLength = 4

/**
 * Length below which a secret matches whole words only, because a short text may be a part of other
 * words.
 */
const minDistinctLength = 8

export function redactorFor(record: RequestRecord, fingerprint: Fingerprint): Redactor {
  const secrets = new Map<string, string>()
  const recordingFingerprint: Fingerprint = (secret) => {
    const replacement = fingerprint(secret)
    if (secret.length >= minSecretLength) secrets.set(secret, replacement)
    return replacement
  }
  const headers = redactedHeaders(record.headers, record, recordingFingerprint)
  // A token such as `root` is a common word, whose occurrences need not refer to the token.
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
    redactText(plain) {
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
