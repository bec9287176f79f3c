import { bodyText, type Sendable } from './curl.ts'
import { copyDeep, textsIn } from './deep-values.ts'
import { tableSecrets } from './table-secrets.ts'

/** Fingerprint that replaces a secret in the journal, with its colon plain or percent-encoded. */
const fingerprint = /fp(?::|%3a)([0-9a-f]{12})/gi

/**
 * Fingerprint within JSON. Includes the quotes of a text that is only a fingerprint, and the colon
 * after such a text if it is the name of a member.
 */
const fingerprintInJson = /"fp:[0-9a-f]{12}"(\s*:)?|fp:[0-9a-f]{12}/g

/** Secret value. The journal replaces secret numbers as well as texts. */
export type SecretValue = string | number

export function fingerprintsIn(value: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  for (const text of textsIn(value)) {
    for (const [, digits = ''] of text.matchAll(fingerprint)) {
      found.add(`fp:${digits.toLowerCase()}`)
    }
  }
  return found
}

/**
 * Returns a request with values in place of its fingerprints, percent-encoded in the path and
 * escaped in a JSON body. Unknown fingerprints stay.
 */
export function fillFingerprints(
  request: Sendable,
  values: ReadonlyMap<string, SecretValue>,
): Sendable {
  const fill = (text: string, encode: (value: string) => string = String) =>
    text.replace(fingerprint, (found, digits: string) => {
      const value = values.get(`fp:${digits.toLowerCase()}`)
      return value === undefined ? found : encode(String(value))
    })
  const { method, path, headers, body } = request
  const text = bodyText(body)
  return {
    method,
    path: fill(path, encodeURIComponent),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, fill(value)]),
    ),
    ...(text === '' ? {} : { body: isJson(text) ? fillJson(text, values) : fill(text) }),
  }
}

/**
 * Returns JSON with values in place of its fingerprints. All other tokens stay as they are,
 * including long numbers.
 */
function fillJson(json: string, values: ReadonlyMap<string, SecretValue>): string {
  return json.replace(fingerprintInJson, (found, colon: string | undefined) => {
    const isWhole = found.startsWith('"')
    const value = values.get(isWhole ? found.slice(1, 16) : found)
    if (value === undefined) return found
    if (!isWhole) return JSON.stringify(String(value)).slice(1, -1)
    return colon === undefined ? JSON.stringify(value) : JSON.stringify(String(value)) + colon
  })
}

function isJson(text: string): boolean {
  return parseJson(text) !== undefined
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns the distinct strings and numbers in a value, at most `maxCandidates`, as candidates for
 * secrets. The result includes names of members, and values inside strings that hold JSON.
 */
export function secretCandidates(root: unknown, maxCandidates = 20_000): ReadonlySet<SecretValue> {
  const found = new Set<SecretValue>()
  const pending: unknown[] = [root]
  while (pending.length > 0 && found.size < maxCandidates) {
    const value = pending.pop()
    if (typeof value === 'number') found.add(value)
    if (typeof value === 'string' && !found.has(value)) {
      found.add(value)
      if (/^\s*[[{"]/.test(value)) pending.push(parseJson(value))
    }
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value).reverse()) {
      pending.push(inner)
      if (!Array.isArray(value)) pending.push(name)
    }
  }
  return found
}

const secretNamePattern =
  /(^|[-_.])(token|tokens|password|passwd|secret|secrets|secretid|secret_id|otp|jwt|private[-_]?key|unsealkeys|shares?|nonce|sensitive|value|data|plaintext|key_material|credentials?)$|(token|password|secretid|privatekey|secret)$/i

// Last name in the location of a secret, such as `key` in `versions/*/key`.
const lastName = (location: string) =>
  location
    .split('/')
    .filter((name) => name !== '*')
    .at(-1)

/**
 * Returns true if the values of a member are masked until they are clicked.
 *
 * @param table `service.table` of the row with this member
 */
export function isSecretName(name: string, table = ''): boolean {
  const isDeclared = tableSecrets[table]?.members.some((member) => lastName(member) === name)
  return secretNamePattern.test(name) || isDeclared === true
}

/** Returns true if the keys of a table's rows are secrets. */
export function hasSecretKeys(table: string): boolean {
  return tableSecrets[table]?.key === true
}

/**
 * Returns a copy of a value with dots in place of secrets. Formatted as JSON, the copy has as many
 * lines as the value.
 */
export function maskSecrets(value: unknown, table: string, isSecret = false): unknown {
  return copyDeep(
    value,
    isSecret,
    (isWithin, name) => isWithin || isSecretName(name, table),
    (scalar, isMasked) => {
      const isShown = scalar === null || scalar === '' || typeof scalar === 'boolean'
      return isMasked && !isShown ? mask : scalar
    },
  )
}

/** Text shown in place of a secret. */
export const mask = '••••••'
