import type { Field, Shape, StructShape } from '../../state/kernel/shape/kinds.ts'
import type { Fingerprint } from './fingerprint.ts'

type Plain = Readonly<Record<string, unknown>>

/** Hides a value: each text and number in it becomes its fingerprint, what is empty stays. */
export function hidden(value: unknown, fingerprint: Fingerprint): unknown {
  if (typeof value === 'string') return value === '' ? value : fingerprint(value)
  if (typeof value === 'number') return fingerprint(String(value))
  if (Array.isArray(value)) return value.map((item) => hidden(item, fingerprint))
  return isPlain(value) ? mapped(value, (inner) => hidden(inner, fingerprint)) : value
}

/** Hides what a shape marks as secret, under whichever of its names it stands. */
export function hiddenByShape(value: unknown, shape: Shape, fingerprint: Fingerprint): unknown {
  switch (shape.kind) {
    case 'struct':
      return isPlain(value) ? hiddenMembers(value, shape, fingerprint) : value
    case 'list':
      return Array.isArray(value)
        ? value.map((item) => hiddenByShape(item, shape.of, fingerprint))
        : value
    case 'map':
      return isPlain(value)
        ? mapped(value, (item) => hiddenByShape(item, shape.of, fingerprint))
        : value
    case 'nullable':
      return hiddenByShape(value, shape.to, fingerprint)
    case 'union':
      return shape.of.reduce<unknown>(
        (sofar, option) => hiddenByShape(sofar, option, fingerprint),
        value,
      )
    default:
      return value
  }
}

function hiddenMembers(value: Plain, shape: StructShape, fingerprint: Fingerprint): Plain {
  return mapped(value, (item, name) => {
    const field = fieldCalled(shape, name)
    if (field?.secret) return hidden(item, fingerprint)
    const of = field?.shape ?? shape.others
    return of === undefined ? item : hiddenByShape(item, of, fingerprint)
  })
}

/** A member by any of its names; Go's decoders take them in any case. */
export function fieldCalled({ fields }: StructShape, name: string): Field | undefined {
  const asked = name.toLowerCase()
  for (const [neutral, field] of Object.entries(fields)) {
    const names = [neutral, field.vendor ?? neutral, ...(field.aliases ?? [])]
    if (names.some((each) => each.toLowerCase() === asked)) return field
  }
  return undefined
}

/** Tells whether a shape marks anything as secret. */
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

/** Hides what stands at some places: see `SecretPlaces`. */
export function hiddenAt(
  value: unknown,
  places: readonly string[],
  fingerprint: Fingerprint,
): unknown {
  return places.reduce(
    (sofar, place) => hiddenBelow(sofar, place === '' ? [] : place.split('/'), fingerprint),
    value,
  )
}

function hiddenBelow(
  value: unknown,
  [first, ...rest]: readonly string[],
  fingerprint: Fingerprint,
): unknown {
  if (first === undefined || first === '**') return hidden(value, fingerprint)
  if (Array.isArray(value)) {
    return value.map((item, at) =>
      first === '*' || first === String(at) ? hiddenBelow(item, rest, fingerprint) : item,
    )
  }
  if (!isPlain(value)) return value
  return mapped(value, (item, name) =>
    first === '*' || first === name ? hiddenBelow(item, rest, fingerprint) : item,
  )
}

/** Hides members that a shape does not know and that stand there as they were sent: a secret may be misplaced. */
export function withoutStrays(
  sent: unknown,
  shown: unknown,
  shape: StructShape,
  fingerprint: Fingerprint,
): unknown {
  if (!isPlain(sent) || !isPlain(shown)) return shown
  return mapped(shown, (item, name) => {
    const isStray = item === sent[name] && fieldCalled(shape, name) === undefined
    return isStray ? hidden(item, fingerprint) : item
  })
}

/**
 * Hides texts wherever they stand in a value.
 *
 * @param secrets those of a request, which its refusal may quote
 */
export function withoutQuotes(
  value: unknown,
  secrets: readonly string[],
  fingerprint: Fingerprint,
): unknown {
  if (typeof value === 'string') {
    return secrets.reduce((text, secret) => text.replaceAll(secret, fingerprint(secret)), value)
  }
  if (Array.isArray(value)) return value.map((item) => withoutQuotes(item, secrets, fingerprint))
  return isPlain(value) ? mapped(value, (item) => withoutQuotes(item, secrets, fingerprint)) : value
}

/** Returns the texts of a value of which something else is shown. */
export function textsHidden(value: unknown, shown: unknown): readonly string[] {
  if (typeof value === 'string') return value === shown || value === '' ? [] : [value]
  const isBoth = isPlain(shown) || Array.isArray(shown)
  if (!(isPlain(value) || Array.isArray(value)) || !isBoth) return []
  const others: Plain = Object(shown)
  return Object.entries(value).flatMap(([name, item]) => textsHidden(item, others[name]))
}

function mapped(value: Plain, change: (item: unknown, name: string) => unknown): Plain {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item, name)]))
}

/** Tells whether a value is an object that is no list. */
export function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
