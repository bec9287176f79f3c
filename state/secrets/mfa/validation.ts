import { type Message, renderMessage } from '../../kernel/message.ts'
import { int } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { errorList } from '../common-messages.ts'
import { type Entity, entityOfId } from '../identity/entities.ts'
import { checkGrantQuota, type LoginGrant, loginGrantShape } from '../logins/grants.ts'
import { mountOf } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'
import { type Enforcement, enforcementTable } from './enforcement-rows.ts'
import { enforcementsOf } from './enforcements.ts'
import { message, refuse } from './messages.ts'
import { findMethod, mfaMethodTable, namespaceOf } from './methods.ts'
import { mfaSecretTable, usedCodeTable } from './secrets.ts'
import { isTotp, validateTotp } from './totp.ts'

/** A login that waits for the validation of its second factors. */
const requestShape = struct({
  grant: loginGrantShape,
  /** Instant in milliseconds since 1970. */
  expire_time: int,
})

/** Waiting logins by request id, which the reply to the login contains. */
const mfaRequestTable = secretsTable('mfa-requests', requestShape, {
  secrets: { key: true, members: [] },
})

/** Time in milliseconds after which a waiting login expires. */
const requestLifetime = 5 * 60 * 1000

/**
 * Credentials of second factors, by id or name of the method. The value is null if the request
 * names the method but has null instead of a list.
 */
export type MfaCredentials = ReadonlyMap<string, readonly string[] | null>

interface RequiredMethod {
  readonly type: string
  readonly id: string
  readonly uses_passcode: boolean
  readonly name: string
}

/** The second factors that a login needs, as the reply to the login contains them. */
export interface MfaRequirement {
  readonly mfa_request_id: string
  readonly mfa_constraints: Readonly<Record<string, { readonly any: readonly RequiredMethod[] }>>
}

/**
 * Returns the enforcements that apply to a granted login, in the order in which logins validate
 * them.
 */
export function enforcementsOfGrant(world: World, grant: LoginGrant): Enforcement[] {
  const namespace = namespaceOf(world, grant.namespace)
  const mount = mountOf(world, namespace, grant.path)
  const entity = entityOfId(world, grant.entity_id)
  if (mount === undefined || entity === undefined) return []
  return enforcementsOf(world, namespace, mount, entity)
}

/**
 * Stores a login until its second factors are validated, and returns the requirement for the reply.
 * Deletes expired waiting logins.
 */
export function deferLogin(
  world: World,
  grant: LoginGrant,
  enforcements: readonly Enforcement[],
): MfaRequirement {
  const mfa_request_id = world.ids.uuid()
  const now = world.clock.now()
  world.write(() => {
    const table = world.table(mfaRequestTable)
    for (const [id, { expire_time }] of [...table.entries()]) {
      if (expire_time <= now) table.delete(id)
    }
    table.put(mfa_request_id, { grant, expire_time: now + requestLifetime })
  })
  const constraints = enforcements
    .map(({ name, mfa_method_ids: ids }) => [name, { any: requiredMethods(world, ids) }] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return { mfa_request_id, mfa_constraints: Object.fromEntries(constraints) }
}

function requiredMethods(world: World, ids: readonly string[]): RequiredMethod[] {
  return ids.flatMap((id) => {
    const method = findMethod(world, id)
    if (method === undefined) return []
    const { type, name, settings } = method
    const uses_passcode = type === 'totp' || (type === 'duo' && settings?.['use_passcode'] === true)
    return [{ type, id, uses_passcode, name }]
  })
}

/**
 * Validates the second factors of a waiting login. Returns the login, so that the caller can create
 * its token. The request id is valid until a validation succeeds or the login expires.
 * @throws Refusal for the first check that fails, in the order of behaviour/secrets#mfa
 */
export function validateLogin(
  world: World,
  namespace: Namespace,
  requestId: string,
  credentials: MfaCredentials,
): LoginGrant {
  const request = world.table(mfaRequestTable).get(requestId)
  if (request === undefined || request.expire_time <= world.clock.now()) {
    throw refuse('mfa-request-unknown')
  }
  const { grant } = request
  if (grant.namespace !== namespace.id) {
    const from = grant.namespace_path
    throw refuse('mfa-request-other-namespace', { from, here: namespace.path })
  }
  const entity = entityOfId(world, grant.entity_id)
  if (entity === undefined) throw refuse('mfa-request-entity-gone')
  const enforcements = enforcementsOfGrant(world, grant)
  if (enforcements.length === 0) throw refuse('mfa-request-enforcement-gone')
  for (const enforcement of enforcements) {
    const why = failureOf(world, enforcement, entity, credentials)
    if (why !== undefined) {
      // Commits the writes, because they include the count of failed attempts.
      throw refuse('mfa-unsatisfied', { name: enforcement.name, why })
        .withDetails(detailsOf(enforcement, entity, why))
        .commitWrites()
    }
  }
  checkGrantQuota(world, grant)
  world.write(() => world.table(mfaRequestTable).delete(requestId))
  return grant
}

/**
 * Validates second factors that a login sends in a header, without a waiting login.
 * @throws Refusal `denied` if an enforcement is not satisfied
 */
export function requireFactors(
  world: World,
  grant: LoginGrant,
  enforcements: readonly Enforcement[],
  credentials: MfaCredentials,
): void {
  const entity = entityOfId(world, grant.entity_id)
  for (const enforcement of enforcements) {
    const why = entity && failureOf(world, enforcement, entity, credentials)
    if (entity === undefined || why === undefined) continue
    // Commits the writes, because they include the count of failed attempts.
    throw refuse('mfa-header-refused')
      .withDetails(detailsOf(enforcement, entity, why))
      .commitWrites()
  }
}

/** Returns the details that explanations of a refusal show. */
function detailsOf(enforcement: Enforcement, entity: Entity, why: Message) {
  const { name, mfa_method_ids: methods } = enforcement
  return { factors: { enforcement: name, methods, entity: entity.id, why: renderMessage(why) } }
}

/**
 * Returns the reason why credentials do not satisfy an enforcement, and counts failed attempts.
 * Returns undefined if the credentials of one of the enforcement's methods are valid.
 */
function failureOf(
  world: World,
  { mfa_method_ids: ids }: Enforcement,
  entity: Entity,
  credentials: MfaCredentials,
): Message | undefined {
  const missing: Message[] = []
  const suppliedFactors = new Map<string, readonly string[] | null>()
  for (const id of ids) {
    const fullName = fullNameOf(world, id)
    const found = credentials.get(id) ?? credentials.get(fullName)
    const isSupplied = credentials.has(id) || credentials.has(fullName)
    if (isSupplied) suppliedFactors.set(id, found ?? null)
    else missing.push(message('mfa-credentials-absent', { id, name: fullName }))
  }
  const failed = message('mfa-validation-failed', { ids: ids.join(' ') })
  if (suppliedFactors.size === 0) {
    if (missing.length === 0) return ids.length === 0 ? errorList([failed]) : failed
    return message('mfa-credentials-not-found', { errors: errorList(missing) })
  }
  const failures: Message[] = []
  for (const [id, factors] of suppliedFactors) {
    if (factors === null) continue
    const failure = factorFailure(world, id, entity, factors)
    if (failure === undefined) return undefined
    failures.push(failure)
  }
  const [first] = failures
  if (failures.length === 1 && first?.rule === 'mfa-unsupported') return first
  return errorList([...failures, failed])
}

/**
 * Returns the path of a method's namespace followed by the method's name, as in `team/my-totp`.
 * Returns an empty string for an unknown method.
 */
function fullNameOf(world: World, id: string): string {
  const method = findMethod(world, id)
  return method === undefined ? '' : namespaceOf(world, method.namespace).path + method.name
}

function factorFailure(
  world: World,
  methodId: string,
  entity: Entity,
  factors: readonly string[],
): Message | undefined {
  const method = findMethod(world, methodId)
  if (method === undefined) return message('mfa-validation-failed', { ids: methodId })
  const { code, problem } = passcodeIn(factors)
  if (problem !== undefined) return message('mfa-factor-unreadable', { why: problem })
  return isTotp(method)
    ? validateTotp(world, method, entity, code)
    : message('mfa-unsupported', { type: method.type })
}

/**
 * Returns the code among the credentials of a method, or the problem with the credentials. Returns
 * an empty object if there are no credentials.
 */
function passcodeIn(factors: readonly string[]): {
  readonly code?: string
  readonly problem?: Message
} {
  const codes: string[] = []
  for (const factor of factors) {
    if (factor === '') continue
    const code = factor.startsWith('passcode=') ? factor.slice('passcode='.length) : factor
    const isUnknown = code === factor && factor.includes('=')
    if (isUnknown) return { problem: message('mfa-factor-unknown', { credential: factor }) }
    if (codes.length > 0) return { problem: message('mfa-factor-repeated') }
    if (code === '') return { problem: message('mfa-factor-empty') }
    codes.push(code)
  }
  const [code] = codes
  return code === undefined ? {} : { code }
}

export const mfaTables = [
  mfaMethodTable,
  enforcementTable,
  mfaSecretTable,
  usedCodeTable,
  mfaRequestTable,
] as const
