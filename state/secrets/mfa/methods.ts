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

/**
 * Types of second factors. Only TOTP is simulated. Methods of the other types can be created, but
 * reject all credentials.
 */
const methodTypes = ['totp', 'duo', 'okta', 'pingid'] as const
export type MethodType = (typeof methodTypes)[number]

/**
 * Settings of a TOTP method. A generated secret copies `algorithm`, `digits`, `period` and `skew`,
 * so later changes of these settings do not affect the secret. Durations in seconds.
 */
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

/** A second factor for logins (behaviour/secrets#mfa). */
const methodShape = struct({
  id: name,
  /** Namespace id. */
  namespace: text,
  /** Unique within the namespace; empty if the method has no name. */
  name: text,
  type: word(...methodTypes),
  /** Only set for TOTP methods. */
  totp: optional(totpSettings),
  /** Settings that replies contain; only set for types other than TOTP. */
  settings: optional(map(any)),
  /** Settings that no reply contains; only set for types other than TOTP. */
  credentials: optional(map(text)),
})
export interface MfaMethod extends StoredOf<typeof methodShape> {}

/** Methods by id. Ids are unique across namespaces. */
export const mfaMethodTable = secretsTable('mfa-methods', methodShape, {
  secrets: { members: ['credentials'] },
})

/** Finds a method in any namespace. Returns undefined for an unknown id. */
export function findMethod(world: World, id: string): MfaMethod | undefined {
  return world.table(mfaMethodTable).get(id)
}

/** Finds a method of a namespace by its name. Returns undefined for an unknown or empty name. */
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

/**
 * Returns the namespace with an id, which can be the root namespace. Falls back to the root
 * namespace for an unknown id.
 */
export function namespaceOf(world: World, id: string): Namespace {
  return findNamespaceById(world, id) ?? rootNamespace
}

/**
 * Returns whether `innerNamespace` equals `outerNamespace` or is below it in the tree of
 * namespaces.
 */
export function isWithinNamespace(
  innerNamespace: Pick<Namespace, 'path'>,
  outerNamespace: Pick<Namespace, 'path'>,
): boolean {
  return innerNamespace.path.startsWith(outerNamespace.path)
}

/**
 * Returns the methods of a namespace and of its ancestors, of all types or of `type`, sorted by id.
 */
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
 * @throws Refusal for an unknown method, for a method whose namespace is neither above nor below
 *   `namespace`, and for a method of another type
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

/** Members of a method that depend on its type: settings and credentials. */
export type MethodSettings = Pick<MfaMethod, 'totp' | 'settings' | 'credentials'>

interface MethodWrite {
  readonly type: MethodType
  /** Id in the path; empty if the path has no id. */
  readonly id: string
  readonly name: string
  /**
   * Returns the checked settings. Called after the checks of id and name, as in the reference.
   * @throws Refusal for invalid settings
   */
  readonly settings: () => MethodSettings
}

/**
 * Creates a method, or replaces the method with the given id or name. Returns the id of the method.
 * Stores nothing and returns undefined for an unknown id.
 * @throws Refusal if id and name belong to different methods, if the method belongs to another
 *   namespace, and for invalid settings
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
  const checkedSettings = settings()
  const method = {
    id: before?.id ?? world.ids.uuid(),
    namespace: namespace.id,
    name: named || (before?.name ?? ''),
    type,
    ...checkedSettings,
  }
  putMethod(world, method)
  return method.id
}

function putMethod(world: World, method: MfaMethod): void {
  world.write(() => world.table(mfaMethodTable).put(method.id, method))
}

/**
 * Deletes a method and its secrets. Does nothing for an unknown id.
 * @throws Refusal for an empty id, for a method that an enforcement uses, and for a method of
 *   another type or namespace
 */
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
