import { setMember } from '../../state/kernel/json.ts'
import { isObject, type Members } from '../../state/kernel/objects.ts'
import { controlOptions } from '../../state/kernel/options/control-options.ts'
import type { Field, Shape, StructShape } from '../../state/kernel/shape/kinds.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { type Fingerprint, isFingerprint } from './fingerprint.ts'
import { Digest } from './retained-body.ts'

/**
 * Redacts a value. Each text and number is replaced with its fingerprint; empty texts, booleans and
 * null are kept.
 */
export function redact(value: unknown, fingerprint: Fingerprint): unknown {
  return mapScalars(value, (scalar) => {
    if (typeof scalar === 'string') return scalar === '' ? scalar : fingerprint(scalar)
    const isNumber = typeof scalar === 'number' || typeof scalar === 'bigint'
    return isNumber ? fingerprint(String(scalar)) : scalar
  })
}

/** Redacts the members that a shape marks as secret. A member is found by any of its names. */
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
    if (field?.nestedSecrets) return redactAt(item, field.nestedSecrets, fingerprint)
    const of = field?.shape ?? shape.others
    return of === undefined ? item : redactByShape(item, of, fingerprint)
  })
}

/**
 * Returns a field by any of its names, or undefined if the shape has no such field. As in Go's
 * decoders, letter case is ignored.
 */
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
        (field) =>
          field.secret === true || field.nestedSecrets !== undefined || holdsSecrets(field.shape),
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

/**
 * Redacts the values at the given locations, which have the form of the paths in `SecretLocations`.
 * As in Go's decoders, the letter case of names is ignored.
 */
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
    first === '*' || first.toLowerCase() === name.toLowerCase()
      ? redactBelow(item, rest, fingerprint)
      : item,
  )
}

/**
 * Redacts the values that the world's option `redact` selects. The option contains JSON pointers
 * into a body or a row, in which `*` matches any member or item. A value that is already a
 * fingerprint stays.
 */
export function redactConfiguredPaths(
  value: unknown,
  world: Pick<World, 'options'>,
  fingerprint: Fingerprint,
): unknown {
  const pointers = world.options(controlOptions).redact
  if (pointers.length === 0 || value === undefined || value instanceof Digest) return value
  const fingerprintOnce: Fingerprint = (text) => (isFingerprint(text) ? text : fingerprint(text))
  return pointers.reduce<unknown>(
    (partlyRedacted, pointer) =>
      redactBelow(partlyRedacted, pointerNames(pointer), fingerprintOnce),
    value,
  )
}

/** Returns the names of members and items in a JSON pointer. */
function pointerNames(pointer: string): readonly string[] {
  const names = pointer.split('/').slice(1)
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/**
 * Redacts members that a shape does not declare and that are not redacted yet, because a caller may
 * have put a secret into the wrong member.
 */
export function redactUndeclaredMembers(
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
 * @param secrets secrets of a request, which the refusal may quote
 */
export function redactQuotedSecrets(
  value: unknown,
  secrets: readonly string[],
  fingerprint: Fingerprint,
): unknown {
  return mapScalars(value, (scalar) =>
    typeof scalar === 'string'
      ? secrets.reduce((text, secret) => text.replaceAll(secret, fingerprint(secret)), scalar)
      : scalar,
  )
}

/**
 * Returns the texts of a value that differ from the text at the same position in `redacted`, the
 * redacted form of the value. These texts are the secrets.
 */
export function redactedTexts(value: unknown, redacted: unknown): readonly string[] {
  const texts: string[] = []
  const pending: (readonly [plain: unknown, redacted: unknown])[] = [[value, redacted]]
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const [plain, other] = pair
    if (typeof plain === 'string') {
      if (plain !== other && plain !== '') texts.push(plain)
    } else if (isContainer(plain) && isContainer(other)) {
      const others = other as Members
      for (const [name, item] of Object.entries(plain).reverse()) {
        pending.push([item, others[name]])
      }
    }
  }
  return texts
}

/** A value to copy, and the object and the name of the member that receives the copy. */
interface PendingCopy {
  readonly into: { [name: string]: unknown }
  readonly name: string
  readonly value: unknown
}

/**
 * Returns a copy of a value in which every scalar is replaced. The function is iterative, because
 * bodies may be nested as deeply as JSON permits.
 *
 * @param changeName function that returns the new name of a member; if left out, names stay
 */
export function mapScalars(
  value: unknown,
  change: (scalar: unknown) => unknown,
  changeName?: (name: string) => string,
): unknown {
  const root: { copy?: unknown } = {}
  const pending: PendingCopy[] = [{ into: root, name: 'copy', value }]
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    if (!isContainer(step.value)) {
      setMember(step.into, step.name, change(step.value))
      continue
    }
    const copy = Array.isArray(step.value) ? [] : {}
    setMember<unknown>(step.into, step.name, copy)
    const isNamed = changeName !== undefined && !Array.isArray(step.value)
    const members = Object.entries(step.value)
    if (isNamed) for (const member of members) member[0] = changeName(member[0])
    // Members keep their order, although their values are set later.
    for (const [name] of members) setMember<unknown>(copy, name, undefined)
    for (const [name, item] of members.reverse()) pending.push({ into: copy, name, value: item })
  }
  return root.copy
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function mapMembers(value: Members, change: (item: unknown, name: string) => unknown): Members {
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, change(item, name)]))
}
