import { any, int, map, name, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { findNamespaceById, type Namespace, rootNamespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'
import { totpAlgorithms } from '../totp/codes.ts'
import { enforcementWith } from './enforcement-rows.ts'
import { refuse } from './messages.ts'
import { removeSecretsOf } from './secrets.ts'

/** Kinds of second factors. Only TOTP is simulated; settings of the other kinds are only stored. */
const methodTypes = ['totp', 'duo', 'okta', 'pingid'] as const
export type MethodType = (typeof methodTypes)[number]

/** Settings of a TOTP method, which secrets copy when they are generated. Durations in seconds. */
const totpSettings = struct({
  algorithm: word(...totpAlgorithms),
  digits: int,
  issuer: text,
  key_size: int,
  max_validation_attempts: int,
  period: int,
  qr_size: int,
  skew: int,
})
export interface TotpSettings extends StoredOf<typeof totpSettings> {}

/** A second factor of logins (behaviour/secrets#mfa). */
const methodShape = struct({
  id: name,
  /** Namespace id. */
  namespace: text,
  /** Unique in its namespace; empty for none. */
  name: text,
  type: word(...methodTypes),
  /** Present in TOTP methods. */
  totp: optional(totpSettings),
  /** Settings of the other types as replies show them. */
  settings: optional(map(any)),
  /** Settings of the other types that no reply shows. */
  credentials: optional(map(text)),
})
export interface MfaMethod extends StoredOf<typeof methodShape> {}

/** Methods by id, which is unique in all namespaces. */
export const mfaMethodTable = secretsTable('mfa-methods', methodShape, {
  secrets: { members: ['credentials'] },
})

/** Returns a method of any namespace by its id. */
export function findMethod(world: World, id: string): MfaMethod | undefined {
  return world.table(mfaMethodTable).get(id)
}

/** Returns the method of a namespace by its name. */
export function findMethodByName(
  world: World,
  namespace: Pick<Namespace, 'id'>,
  named: string,
): MfaMethod | undefined {
  if (named === '') return undefined
  for (const method of world.table(mfaMethodTable).rows()) {
    if (method.namespace === namespace.id && method.name === named) return method
  }
  return undefined
}

/** Returns a namespace by its id, the root included. */
export function namespaceOf(world: World, id: string): Namespace {
  return findNamespaceById(world, id) ?? rootNamespace
}

/** Returns whether `inner` is the namespace `outer` or lies below it. */
export function isWithinNamespace(
  inner: Pick<Namespace, 'path'>,
  outer: Pick<Namespace, 'path'>,
): boolean {
  return inner.path.startsWith(outer.path)
}

/** Returns the methods of a namespace and of those above it, in order of id. */
export function methodsVisibleIn(
  world: World,
  namespace: Namespace,
  type?: MethodType,
): MfaMethod[] {
  return [...world.table(mfaMethodTable).rows()].filter(
    (method) =>
      (type === undefined || method.type === type) &&
      isWithinNamespace(namespace, namespaceOf(world, method.namespace)),
  )
}

/**
 * Returns a method for a read.
 * @throws Refusal if it is absent, in a namespace on another branch, or of another type
 */
export function readMethod(
  world: World,
  namespace: Namespace,
  id: string,
  type?: MethodType,
): MfaMethod {
  const method = findMethod(world, id)
  if (method === undefined) throw refuse('nothing-here')
  const owner = namespaceOf(world, method.namespace)
  if (!isWithinNamespace(namespace, owner) && !isWithinNamespace(owner, namespace)) {
    throw refuse('mfa-method-hidden')
  }
  if (type !== undefined && method.type !== type) throw refuse('mfa-method-other-type', { type })
  return method
}

/** The settings of a write, as the method stores them. */
export type MethodSettings = Pick<MfaMethod, 'totp' | 'settings' | 'credentials'>

interface MethodWrite {
  readonly type: MethodType
  /** Id in the path; empty if the path has none. */
  readonly id: string
  readonly name: string
  /** Checks the settings after the names. Throws a refusal for invalid ones. */
  readonly settings: () => MethodSettings
}

/**
 * Creates a method, or replaces the method with the given id or name. Returns the id of the method.
 * If no method has the given id, stores nothing and returns undefined.
 */
export function writeMethod(
  world: World,
  namespace: Namespace,
  { type, id, name: named, settings }: MethodWrite,
): string | undefined {
  const byId = id === '' ? undefined : findMethod(world, id)
  if (id !== '' && byId === undefined) return undefined
  const byName = findMethodByName(world, namespace, named)
  if (byId !== undefined && byName !== undefined && byId.id !== byName.id) {
    throw refuse('mfa-method-name-taken', { name: named })
  }
  const before = byId ?? byName
  if (before !== undefined && before.namespace !== namespace.id) {
    throw refuse('mfa-method-other-namespace')
  }
  const checked = settings()
  const method = {
    id: before?.id ?? world.ids.uuid(),
    namespace: namespace.id,
    name: named || (before?.name ?? ''),
    type,
    ...checked,
  }
  putMethod(world, method)
  return method.id
}

/** Stores a method. */
function putMethod(world: World, method: MfaMethod): void {
  world.write(() => world.table(mfaMethodTable).put(method.id, method))
}

/** Deletes a method with its secrets; ignores an unknown id. */
export function deleteMethod(
  world: World,
  namespace: Namespace,
  id: string,
  type: MethodType,
): void {
  if (id === '') throw refuse('mfa-method-id-missing')
  const user = enforcementWith(world, id)
  if (user !== undefined) throw refuse('mfa-method-in-use', { enforcement: user.id })
  const method = findMethod(world, id)
  if (method === undefined) return
  if (method.type !== type) throw refuse('mfa-method-type-differs')
  if (method.namespace !== namespace.id) throw refuse('mfa-delete-other-namespace')
  world.write(() => {
    removeSecretsOf(world, { method: id })
    world.table(mfaMethodTable).delete(id)
  })
}
