import { describe, expect, test } from 'vitest'
import { orchCredentials } from '../../../../state/secrets/orch/creds.ts'
import { orchObjects } from '../../../../state/secrets/orch/orchestrator.ts'
import type { TestSecrets } from '../../../support/secrets/secrets.ts'
import { error, noContent, ok, statusAndBody } from '../replies.ts'
import { counts, modes, role, serverWithOrch } from './orch.ts'

const chain = { serviceAccounts: 1, roles: 1, roleBindings: 1 }

/** Starts a server with credentials of mode 3 that last an hour. */
async function leased(): Promise<TestSecrets & { readonly id: string }> {
  const created = await serverWithOrch()
  await role(created, 'app', modes.rules)
  const body = { orch_namespace: 'a', ttl: '1h' }
  const reply = await created.secrets.post('orch/creds/app', body)
  expect(counts(created)).toEqual(chain)
  return { ...created, id: reply.body.lease_id }
}

function expectNothingLeft({ world }: TestSecrets): void {
  expect([...world.table(orchObjects).rows()]).toEqual([])
  expect([...world.table(orchCredentials).rows()]).toEqual([])
}

describe('behaviour/secrets#orch: the lease of credentials', () => {
  test('can be looked up and listed', async () => {
    const { secrets, id } = await leased()
    expect(statusAndBody(await secrets.put('sys/leases/lookup', { lease_id: id }))).toEqual(
      ok({
        data: {
          id,
          issue_time: '2026-01-01T00:00:00Z',
          expire_time: '2026-01-01T01:00:00Z',
          last_renewal: null,
          renewable: false,
          ttl: 3600,
        },
      }),
    )
    expect(statusAndBody(await secrets.list('sys/leases/lookup/orch/creds/app'))).toEqual(
      ok({ data: { keys: [id.slice('orch/creds/app/'.length)] } }),
    )
  })

  test('is not renewable', async () => {
    const created = await leased()
    expect(
      statusAndBody(await created.secrets.put('sys/leases/renew', { lease_id: created.id })),
    ).toEqual(error(400, 'lease is not renewable'))
    expect(counts(created)).toEqual(chain)
  })

  test('revoked, its objects are deleted', async () => {
    const created = await leased()
    expect(
      statusAndBody(await created.secrets.put('sys/leases/revoke', { lease_id: created.id })),
    ).toEqual(noContent)
    expectNothingLeft(created)
    expect(
      statusAndBody(await created.secrets.put('sys/leases/lookup', { lease_id: created.id })),
    ).toEqual(error(400, 'invalid lease'))
  })

  test('over, its objects are deleted, and not before', async () => {
    const created = await leased()
    created.clock.advance(3_599_999)
    expect(counts(created)).toEqual(chain)
    created.clock.advance(1)
    expectNothingLeft(created)
  })

  test('exactly its own are deleted: those of other leases stay', async () => {
    const created = await leased()
    await role(created, 'other', { ...modes.role, orch_role_type: 'ClusterRole' })
    const body = { orch_namespace: 'a', cluster_role_binding: true }
    await created.secrets.post('orch/creds/other', body)
    expect(counts(created)).toEqual({ ...chain, serviceAccounts: 2, clusterRoleBindings: 1 })
    await created.secrets.put('sys/leases/revoke', { lease_id: created.id })
    expect(counts(created)).toEqual({ serviceAccounts: 1, clusterRoleBindings: 1 })
    await created.secrets.put('sys/leases/revoke-prefix/orch/creds/other')
    expectNothingLeft(created)
  })

  test('every form of objects is deleted', async () => {
    const created = await serverWithOrch()
    for (const [mode, fields] of Object.entries(modes)) {
      for (const orch_role_type of ['Role', 'ClusterRole']) {
        await role(created, 'app', {
          service_account_name: '',
          orch_role_name: '',
          generated_role_rules: '',
          ...fields,
          orch_role_type,
        })
        for (const cluster_role_binding of [false, true]) {
          const body = { orch_namespace: 'a', cluster_role_binding }
          const { status } = await created.secrets.post('orch/creds/app', body)
          const allowed = !cluster_role_binding || orch_role_type === 'ClusterRole'
          expect([mode, orch_role_type, cluster_role_binding, status]).toEqual([
            mode,
            orch_role_type,
            cluster_role_binding,
            allowed ? 200 : 400,
          ])
        }
      }
    }
    expect(counts(created)).toEqual({
      serviceAccounts: 6,
      roles: 1,
      clusterRoles: 2,
      roleBindings: 4,
      clusterRoleBindings: 2,
    })
    await created.secrets.put('sys/leases/revoke-prefix/orch')
    expectNothingLeft(created)
  })

  test('dies with the token that asked for it', async () => {
    const created = await serverWithOrch()
    await role(created, 'app', modes.role)
    const body = { policies: ['root'], ttl: '30m' }
    const [first, second] = [
      (await created.secrets.post('auth/token/create', body)).body.auth.client_token,
      (await created.secrets.post('auth/token/create', body)).body.auth.client_token,
    ]
    for (const token of [first, second]) {
      await created.as(token).post('orch/creds/app', { orch_namespace: 'a' })
    }
    expect(counts(created)).toEqual({ serviceAccounts: 2, roleBindings: 2 })
    await created.secrets.post('auth/token/revoke', { token: first })
    expect(counts(created)).toEqual({ serviceAccounts: 1, roleBindings: 1 })
    created.clock.advance(1_800_000)
    expectNothingLeft(created)
  })

  test('ends when its mount is deleted or moved', async () => {
    for (const end of ['unmount', 'remount'] as const) {
      const created = await leased()
      const reply =
        end === 'unmount'
          ? await created.secrets.delete('sys/mounts/orch')
          : await created.secrets.post('sys/remount', { from: 'orch', to: 'moved' })
      expect(reply.status).toBe(end === 'unmount' ? 204 : 200)
      expectNothingLeft(created)
    }
  })

  test('dies with its namespace', async () => {
    const created = await serverWithOrch()
    await created.secrets.post('sys/namespaces/team')
    await created.secrets.post('team/sys/mounts/orch', { type: 'orch' })
    await created.secrets.post('team/orch/config', { orch_host: 'https://a' })
    await role(created, 'app', modes.rules, 'team/orch')
    const reply = await created.secrets.post('team/orch/creds/app', { orch_namespace: 'a' })
    expect(reply.body.lease_id).toMatch(/^orch\/creds\/app\/[0-9A-Za-z]{24}\.[0-9A-Za-z]{5}$/)
    expect(counts(created)).toEqual(chain)
    expect((await created.secrets.delete('sys/namespaces/team')).body.data.status).toBe(
      'in-progress',
    )
    expectNothingLeft(created)
  })

  // choice/secrets#orch-fault-revocation
  test('outlives its role and the configuration, and a fault of the orchestrator', async () => {
    const created = await leased()
    await created.secrets.delete('orch/roles/app')
    await created.secrets.delete('orch/config')
    expect(counts(created)).toEqual(chain)
    created.world.changeOptions({ secrets: { orchFault: 'unreachable' } })
    expect(
      statusAndBody(await created.secrets.put('sys/leases/revoke', { lease_id: created.id })),
    ).toEqual(noContent)
    expectNothingLeft(created)
  })
})

describe('behaviour/secrets#wrapping: credentials behind a wrapping token', () => {
  test('are complete, and sent once', async () => {
    const created = await serverWithOrch()
    await role(created, 'app', modes.account)
    const headers = { 'x-secrets-wrap-ttl': '60' }
    const wrapped = await created.secrets.post(
      'orch/creds/app',
      { orch_namespace: 'a' },
      { headers },
    )
    expect([wrapped.status, wrapped.body.data]).toEqual([200, null])
    const { token } = wrapped.body.wrap_info
    const reply = await created.secrets.post('sys/wrapping/unwrap', { token })
    expect([reply.body.lease_id, reply.body.data.service_account_name]).toEqual([
      expect.stringMatching(/^orch\/creds\/app\//),
      'app',
    ])
  })
})
