import { isObject, type Members } from '../../state/kernel/objects.ts'
import type { Field, Shape, StructShape } from '../../state/kernel/shape/kinds.ts'
import type { Fingerprint } from './fingerprint.ts'

/** Redacts a value: each text and number is replaced by its fingerprint; empty values stay. */
export function redact(value: unknown, fingerprint: Fingerprint): unknown {
  if (typeof value === 'string') return value === '' ? value : fingerprint(value)
  if (typeof value === 'number') return fingerprint(String(value))
  if (Array.isArray(value)) return value.map((item) => redact(item, fingerprint))
  return isObject(value) ? mapMembers(value, (inner) => redact(inner, fingerprint)) : value
}

/** Redacts the members that a shape marks as secret, under any of their names. */
export function redactByShape(value: unknown, shape: Shape, fingerprint: Fingerprint): unknown {
  switch (shape.kind) {
    case 'struct':
      return isObject(value) ? redactMembers(value, shape, fingerprint) : value
    case 'list':
      return Array.isArray(value)
        ? value.map((item) => redactByShape(item, shape.of, fingerprint))
        : value
    case 'map':
      return isObject(value)
        ? mapMembers(value, (item) => redactByShape(item, shape.of, fingerprint))
        : value
    case 'nullable':
      return redactByShape(value, shape.to, fingerprint)
    case 'union':
      return shape.of.reduce<unknown>(
        (partlyRedacted, option) => redactByShape(partlyRedacted, option, fingerprint),
        value,
      )
    default:
      return value
  }
}

function redactMembers(value: Members, shape: StructShape, fingerprint: Fingerprint): Members {
  return mapMembers(value, (item, name) => {
    const field = fieldNamed(shape, name)
    if (field?.secret) return redact(item, fingerprint)
    const of = field?.shape ?? shape.others
    return of === undefined ? item : redactByShape(item, of, fingerprint)
  })
}

/** Returns a member by any of its names; Go's decoders ignore case. */
export function fieldNamed({ fields }: StructShape, name: string): Field | undefined {
  const wanted = name.toLowerCase()
  for (const [neutral, field] of Object.entries(fields)) {
    const names = [neutral, field.vendor ?? neutral, ...(field.aliases ?? [])]
    if (names.some((each) => each.toLowerCase() === wanted)) return field
  }
  return undefined
}

/** Returns true if a shape marks anything as secret. */
export function holdsSecrets(shape: Shape): boolean {
  switch (shape.kind) {
    case 'struct':
      return Object.values(shape.fields).some(
        (field) => field.secret === true || holdsSecrets(field.shape),
      )
    case 'list':
    case 'map':
      return holdsSecrets(shape.of)
    case 'nullable':
      return holdsSecrets(shape.to)
    case 'union':
      return shape.of.some(holdsSecrets)
    default:
      return false
  }
}

/** Redacts the values at some locations, as in `SecretLocations`. */
export function redactAt(
  value: unknown,
  places: readonly string[],
  fingerprint: Fingerprint,
): unknown {
  return places.reduce(
    (partlyRedacted, place) =>
      redactBelow(partlyRedacted, place === '' ? [] : place.split('/'), fingerprint),
    value,
  )
}

function redactBelow(
  value: unknown,
  [first, ...rest]: readonly string[],
  fingerprint: Fingerprint,
): unknown {
  if (first === undefined || first === '**') return redact(value, fingerprint)
  if (Array.isArray(value)) {
    return value.map((item, at) =>
      first === '*' || first === String(at) ? redactBelow(item, rest, fingerprint) : item,
    )
  }
  if (!isObject(value)) return value
  return mapMembers(value, (item, name) =>
    first === '*' || first === name ? redactBelow(item, rest, fingerprint) : item,
  )
}

/**
 * Redacts members that a shape does not declare and that are still plain: a secret may be
 * misplaced.
 */
export function redactUndeclared(
  sent: unknown,
  redacted: unknown,
  shape: StructShape,
  fingerprint: Fingerprint,
): unknown {
  if (!isObject(sent) || !isObject(redacted)) return redacted
  return mapMembers(redacted, (item, name) => {
    const isUndeclared = item === sent[name] && fieldNamed(shape, name) === undefined
    return isUndeclared ? redact(item, fingerprint) : item
  })
}

/**
 * Redacts texts wherever they occur in a value.
 *
 * @param secrets secrets of a request, which its refusal may quote
 */
export function redactQuoted(
  value: unknown,
  secrets: readonly string[],
  fingerprint: Fingerprint,
): unknown {
  if (typeof value === 'string') {
    return secrets.reduce((text, secret) => text.replaceAll(secret, fingerprint(secret)), value)
  }
  if (Array.isArray(value)) return value.map((item) => redactQuoted(item, secrets, fingerprint))
  return isObject(value)
    ? mapMembers(value, (item) => redactQuoted(item, secrets, fingerprint))
    : value
}

/** Returns the texts of a value that its redacted form replaces. */
export function redactedTexts(value: unknown, redacted: unknown): readonly string[] {
  if (typeof value === 'string') return value === redacted || value === '' ? [] : [value]
  const isBoth = isObject(redacted) || Array.isArray(redacted)
  if (!(isObject(value) || Array.isArray(value)) || !isBoth) return []
  const others: Members = Object(redacted)
  return Object.entries(value).flatMap(([name, item]) => redactedTexts(item, others[name]))
}

function mapMembers(value: Members, change: (item: unknown, name: string) => unknown): Members {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item, name)]))
}
