import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { cubbyholes, writeCubbyhole } from '../../../state/secrets/kv/cubbyhole.ts'
import { leases, registerLease } from '../../../state/secrets/leases/leases.ts'
import { rootNamespace } from '../../../state/secrets/namespaces/namespaces.ts'
import { policies, writePolicy } from '../../../state/secrets/policies/policies.ts'
import { renewToken } from '../../../state/secrets/tokens/renewal.ts'
import { requestToken } from '../../../state/secrets/tokens/request.ts'
import { writeRole } from '../../../state/secrets/tokens/role-changes.ts'
import { tokenRoles } from '../../../state/secrets/tokens/roles.ts'
import { tokens } from '../../../state/secrets/tokens/rows.ts'
import { consumeUse, requireUsableToken } from '../../../state/secrets/tokens/tokens.ts'
import { freshWorld, makeToken } from './fresh-world.ts'

/** Builds a world with rows in every table of this area. */
function worldWithRows() {
  const world = freshWorld()
  const root = requireUsableToken(world, 'root')
  writePolicy(world, rootNamespace, 'a', 'path "a" { policy = "read" }')
  writeRole(world, rootNamespace, 'dev', { period: 60, token_type: 'service' })
  const context = { parent: root, namespace: rootNamespace, path: 'auth/token/create/dev' }
  const { token } = requestToken(
    world,
    { ...context, orphan: false, role: 'dev' },
    {
      policies: ['a'],
      meta: { k: 'v' },
    },
  )
  renewToken(world, token.id, 0)
  consumeUse(world, makeToken(world, { numUses: 1 }))
  makeToken(world, { type: 'batch', parent: token })
  const path = 'orch/creds/a'
  const revoke = { job: 'secrets.lease.expire', id: 'x' }
  registerLease(world, { namespace: rootNamespace, path, token, renewable: true, ttl: 60, revoke })
  writeCubbyhole(world, token, 'a', { b: 1 })
  return world
}

describe('behaviour/program#control-plane: exported rows have the shape that an import demands', () => {
  const world = worldWithRows()
  const ajv = new Ajv({ strict: false, allErrors: true })

  test.each([tokens, tokenRoles, leases, policies, cubbyholes])('$name', (definition) => {
    const validate = ajv.compile(definition.schema)
    const rows = [...world.table<object>(definition).rows()]
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) {
      expect(validate(JSON.parse(JSON.stringify(row))), ajv.errorsText(validate.errors)).toBe(true)
    }
  })
})
