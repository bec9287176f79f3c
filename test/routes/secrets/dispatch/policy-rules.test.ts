import { describe, expect, test } from 'vitest'
import { type SecretsClient, servedSecrets } from '../../../support/secrets/secrets.ts'

/** Returns the root client and a client whose token has one policy. */
async function withPolicy(policy: string, dialect: 'neutral' | 'vendor' = 'neutral') {
  const { secrets, as } = await servedSecrets({ dialect })
  expect((await secrets.post('sys/policies/acl/only', { policy })).status).toBe(204)
  const created = await secrets.post('auth/token/create', {
    policies: ['only'],
    no_default_policy: true,
  })
  return { secrets, caller: as(created.body.auth.client_token) as SecretsClient }
}

describe.each(['neutral', 'vendor'] as const)('behaviour/secrets#policies: %s', (dialect) => {
  test('LIST is allowed by a pattern for the path without its slash', async () => {
    const { secrets, caller } = await withPolicy(
      `path "secret/metadata/+" { capabilities = ["list"] }
       path "secret/metadata/+/*" { capabilities = ["deny"] }
       path "sys/capabilities-self" { capabilities = ["update"] }`,
      dialect,
    )
    await secrets.post('secret/data/team/app', { data: { a: 1 } })

    expect((await caller.list('secret/metadata/team')).status).toBe(200)
    expect((await caller.get('secret/metadata/team', { query: { list: 'true' } })).status).toBe(200)
    expect((await caller.list('secret/metadata/team/app')).status).toBe(403)
    expect((await caller.get('secret/metadata/team/app')).status).toBe(403)
    const paths = ['secret/metadata/team/', 'secret/metadata/team/x/']
    const report = await caller.post('sys/capabilities-self', { paths })
    expect(report.body.data).toEqual({ [paths[0] ?? '']: ['list'], [paths[1] ?? '']: ['deny'] })
  })

  test('numbers in a policy never equal numbers in a body', async () => {
    const { caller } = await withPolicy(
      `path "kv/a" { capabilities = ["create", "update"]
         allowed_parameters = { x = [5, "5"] } }
       path "kv/b" { capabilities = ["create", "update"]
         denied_parameters = { x = [5] } }`,
      dialect,
    )
    expect((await caller.post('kv/a', { x: 5 })).status).toBe(403)
    expect((await caller.post('kv/a', { x: 1.5 })).status).toBe(403)
    expect((await caller.post('kv/a', { x: '5' })).status).toBe(204)
    expect((await caller.post('kv/b', { x: 5 })).status).toBe(204)
    expect((await caller.post('kv/b', { x: 1.5 })).status).toBe(204)
  })

  test('a required parameter must be spelled in lower case', async () => {
    const { caller } = await withPolicy(
      `path "kv/a" { capabilities = ["create", "update"]
         required_parameters = ["Why"] }`,
      dialect,
    )
    expect((await caller.post('kv/a', { Why: 'x' })).status).toBe(403)
    expect((await caller.post('kv/a', { WHY: 'x' })).status).toBe(403)
    expect((await caller.post('kv/a', { why: 'x' })).status).toBe(204)
  })

  test('limits of the wrapping TTL count fractions of a second', async () => {
    const { secrets, caller } = await withPolicy(
      `path "kv/a" { capabilities = ["read"]
         max_wrapping_ttl = "10s" }
       path "kv/b" { capabilities = ["read"]
         min_wrapping_ttl = "1500ms" }`,
      dialect,
    )
    const header = dialect === 'vendor' ? 'x-vault-wrap-ttl' : 'x-secrets-wrap-ttl'
    for (const path of ['kv/a', 'kv/b']) await secrets.post(path, { x: 'y' })
    const statusOf = async (path: string, ttl: string) =>
      (await caller.get(path, { headers: { [header]: ttl } })).status

    expect(await statusOf('kv/a', '10500ms')).toBe(403)
    expect(await statusOf('kv/a', '10')).toBe(200)
    expect(await statusOf('kv/b', '1s')).toBe(403)
    expect(await statusOf('kv/b', '1500ms')).toBe(200)
  })
})
