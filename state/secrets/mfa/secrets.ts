import { int, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { secretsTable } from '../table.ts'
import { totpAlgorithms } from '../totp/codes.ts'

/**
 * The TOTP secret of an entity for a method. `algorithm`, `digits`, `period` and `skew` are the
 * settings that the method had when the secret was stored.
 */
const secretShape = struct({
  method: text,
  entity: text,
  /** The key in base32. */
  key: text,
  algorithm: word(...totpAlgorithms),
  digits: int,
  period: int,
  skew: int,
  /**
   * Failed attempts since the last success. The count starts again at `until`, in milliseconds
   * since 1970.
   */
  attempts: optional(struct({ count: int, until: int })),
})
export interface TotpSecret extends StoredOf<typeof secretShape> {}

/** Secrets by `<entity id>/<method id>`. */
export const mfaSecretTable = secretsTable('mfa-secrets', secretShape, {
  secrets: { members: ['key'] },
})

/** A code that was used and cannot be used again until an instant in milliseconds since 1970. */
const usedCodeShape = struct({ until: int })

/** Used codes by `<method id>/<code>`. */
export const usedCodeTable = secretsTable('mfa-used-codes', usedCodeShape, {
  secrets: { key: true, members: [] },
})

export function findSecret(world: World, entity: string, method: string): TotpSecret | undefined {
  return world.table(mfaSecretTable).get(`${entity}/${method}`)
}

export function secretsOf(world: World, entity: string): readonly TotpSecret[] {
  return [...world.table(mfaSecretTable).rows(`${entity}/`)]
}

export function putSecret(world: World, secret: TotpSecret): void {
  world.write(() => world.table(mfaSecretTable).put(`${secret.entity}/${secret.method}`, secret))
}

/** Deletes the secrets of an entity, of a method, or of one entity for one method. */
export function removeSecretsOf(
  world: World,
  owner: Partial<Pick<TotpSecret, 'entity' | 'method'>>,
): void {
  const { entity, method } = owner
  const prefix = entity === undefined ? '' : `${entity}/`
  world.write(() => {
    const table = world.table(mfaSecretTable)
    for (const secret of [...table.rows(prefix)]) {
      if (method === undefined || secret.method === method) {
        table.delete(`${secret.entity}/${secret.method}`)
      }
    }
  })
}
