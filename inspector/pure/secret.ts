import { copyDeep, textsIn } from './deep-values.ts'
import { tableSecrets } from './table-secrets.ts'

/** Fingerprint that replaces a secret value in the journal. */
const fingerprint = /fp:[0-9a-f]{12}/g

/** Returns the fingerprints in a value. */
export function fingerprintsIn(value: unknown): ReadonlySet<string> {
  const found = new Set<string>()
  for (const text of textsIn(value)) {
    for (const match of text.match(fingerprint) ?? []) found.add(match)
  }
  return found
}

/** Replaces fingerprints in a value by the known plain values. */
export function replaceFingerprints<T>(
  value: T,
  secretByFingerprint: ReadonlyMap<string, string>,
): T {
  if (secretByFingerprint.size === 0) return value
  const replaceIn = (text: string) =>
    text.replace(fingerprint, (found) => secretByFingerprint.get(found) ?? found)
  const replaced = copyDeep(
    value,
    undefined,
    () => undefined,
    (scalar) => (typeof scalar === 'string' ? replaceIn(scalar) : scalar),
  )
  // Only texts are replaced, so the type stays.
  return replaced as T
}

/** Returns every distinct text in a value, names of members included, as candidates for secrets. */
export function stringsIn(value: unknown, maxStrings = 20_000): ReadonlySet<string> {
  const texts = new Set<string>()
  for (const text of textsIn(value)) {
    if (texts.size >= maxStrings) break
    texts.add(text)
  }
  return texts
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

/** Replaces secrets in a value by dots. The number of lines of its JSON stays. */
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
