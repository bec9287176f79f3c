import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Entity, findEntity } from '../identity/entities.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { codeAt, encodeBase32 } from '../totp/codes.ts'
import { otpauthUrl } from '../totp/keys.ts'
import { message, refuse } from './messages.ts'
import { findMethod, type MfaMethod, type TotpSettings } from './methods.ts'
import {
  findSecret,
  putSecret,
  removeSecretsOf,
  type TotpSecret,
  usedCodeTable,
} from './secrets.ts'

interface TotpMethod extends MfaMethod {
  readonly totp: TotpSettings
}

interface GeneratedSecret {
  /** The `otpauth://` URL for authenticator apps; undefined if the entity already had a secret. */
  readonly url?: string
  /** Width of the QR code in pixels. */
  readonly imageSize: number
  readonly warnings: readonly Message[]
}

/**
 * Generates the secret of an entity for a method. Keeps an existing secret and returns a warning.
 * @throws Refusal `invalid` for a missing or unknown method or entity, and for a method of another
 *   type
 */
export function generateSecret(
  world: World,
  namespace: Namespace,
  methodId: string,
  entityId: string,
): GeneratedSecret {
  if (methodId === '') throw refuse('mfa-method-id-missing')
  if (entityId === '') throw refuse('mfa-generate-entity-missing')
  const method = requireMethod(world, methodId)
  const entity = requireEntity(world, namespace, entityId)
  if (!isTotp(method)) throw refuse('mfa-generate-type', { type: quoteGo(method.type) })
  const { qr_size: imageSize } = method.totp
  if (findSecret(world, entity.id, method.id) !== undefined) {
    const name = quoteGo(method.name)
    return { imageSize, warnings: [message('mfa-secret-exists', { name })] }
  }
  const key = encodeBase32(world.ids.bytes(method.totp.key_size))
  storeSecret(world, method, entity, key)
  const { issuer, algorithm, digits, period } = method.totp
  const url = otpauthUrl({ key, issuer, account_name: entity.id, period, algorithm, digits })
  return { url, imageSize, warnings: [] }
}

export function isTotp(method: MfaMethod): method is TotpMethod {
  return method.totp !== undefined
}

/**
 * Stores a secret with the current `algorithm`, `digits`, `period` and `skew` of its method.
 * Replaces an existing secret.
 */
export function storeSecret(world: World, method: TotpMethod, entity: Entity, key: string): void {
  const { algorithm, digits, period, skew } = method.totp
  putSecret(world, { method: method.id, entity: entity.id, key, algorithm, digits, period, skew })
}

/**
 * Deletes the secret of an entity for a TOTP method. Does nothing if the entity has no secret.
 * @throws Refusal `invalid` for a missing or unknown method or entity, and for a method of another
 *   type
 */
export function destroySecret(
  world: World,
  namespace: Namespace,
  methodId: string,
  entityId: string,
): void {
  if (methodId === '') throw refuse('mfa-method-id-missing')
  if (entityId === '') throw refuse('mfa-destroy-entity-missing')
  const entity = requireEntity(world, namespace, entityId)
  const method = requireMethod(world, methodId)
  if (!isTotp(method)) throw refuse('mfa-destroy-type')
  removeSecretsOf(world, { entity: entity.id, method: method.id })
}

function requireMethod(world: World, id: string): MfaMethod {
  const method = findMethod(world, id)
  if (method === undefined) throw refuse('mfa-method-unknown', { id: quoteGo(id) })
  return method
}

function requireEntity(world: World, namespace: Namespace, id: string): Entity {
  const entity = findEntity(world, namespace, id)
  if (entity === undefined) throw refuse('mfa-entity-unknown')
  return entity
}

/**
 * Validates a code of an entity and counts a failed attempt. A valid code cannot be used again
 * while it would still be valid.
 * @param code undefined if the request has no code
 * @returns a message with the reason for the rejection of the code; undefined for a valid code
 */
export function validateTotp(
  world: World,
  method: MfaMethod,
  entity: Entity,
  code: string | undefined,
): Message | undefined {
  const secret = findSecret(world, entity.id, method.id)
  if (secret === undefined) {
    const name = quoteGo(method.name)
    return message('mfa-secret-absent', { name, entity: quoteGo(entity.id) })
  }
  if (code === undefined) return message('mfa-code-missing')
  const now = world.clock.now()
  const { period, skew } = secret
  const used = world.table(usedCodeTable).get(`${method.id}/${code}`)
  if (used !== undefined && used.until > now) return message('mfa-code-used', { seconds: period })
  const { attempts, ...secretWithoutAttempts } = secret
  const currentAttempts = attempts !== undefined && attempts.until > now ? attempts : undefined
  const maxAttempts = method.totp?.max_validation_attempts ?? 0
  if (currentAttempts?.count === maxAttempts) {
    return message('mfa-attempts-exceeded', {
      attempts: maxAttempts + 1,
      most: maxAttempts,
      wait: `${period}s`,
    })
  }
  const until = currentAttempts?.until ?? now + period * 1000
  if (!isCurrent(secret, code.trim(), now)) {
    putSecret(world, { ...secret, attempts: { count: (currentAttempts?.count ?? 0) + 1, until } })
    return message('mfa-code-wrong')
  }
  world.write(() => {
    putSecret(world, secretWithoutAttempts)
    const table = world.table(usedCodeTable)
    for (const [key, row] of [...table.entries()]) if (row.until <= now) table.delete(key)
    table.put(`${method.id}/${code}`, { until: now + period * (2 + skew) * 1000 })
  })
  return undefined
}

function isCurrent(secret: TotpSecret, code: string, now: number): boolean {
  const offsets = secret.skew === 0 ? [0] : [0, -1, 1]
  return offsets.some((offset) => codeAt(secret, now, offset) === code)
}
