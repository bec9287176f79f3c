import { describe, expect, test } from 'vitest'
import { platformCoverage } from '../../../routes/platform/coverage.ts'
import { platformOperations } from '../../../routes/platform/operations.ts'

describe('behaviour/program#control-plane: coverage of the platform API', () => {
  const { operations } = platformCoverage()
  const served = operations.map(({ verb, path }) => `${verb} ${path}`)

  test('lists every operation once, with unique ids', () => {
    expect(new Set(served).size).toBe(served.length)
    const ids = platformOperations.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(operations).toContainEqual({
      id: 'createOrganization',
      verb: 'POST',
      path: '/api/v2/organizations',
      summary: 'Create an organization; the caller becomes its owner.',
      spec: 'behaviour/platform#surroundings',
      evidence: 'decision',
      access: 'token',
    })
  })

  test('every operation cites its specification', () => {
    for (const { evidence, path } of operations) {
      expect([path, evidence]).toEqual([path, expect.stringMatching(/^(spec|decision)$/)])
    }
  })

  test.each([
    // Operations of behaviour/platform#surroundings, in that order.
    'GET /api/v2/account/details',
    'GET /api/v2/users/:user_id',
    'POST /api/v2/users/:user_id/authentication-tokens',
    'GET /api/v2/users/:user_id/authentication-tokens',
    'GET /api/v2/authentication-tokens/:token_id',
    'DELETE /api/v2/authentication-tokens/:token_id',
    'POST /api/v2/organizations/:organization_name/authentication-token',
    'GET /api/v2/organizations/:organization_name/authentication-token',
    'DELETE /api/v2/organizations/:organization_name/authentication-token',
    'POST /api/v2/teams/:team_id/authentication-token',
    'GET /api/v2/teams/:team_id/authentication-token',
    'DELETE /api/v2/teams/:team_id/authentication-token',
    'POST /api/v2/organizations',
    'GET /api/v2/organizations/:organization_name',
    'PATCH /api/v2/organizations/:organization_name',
    'DELETE /api/v2/organizations/:organization_name',
    'GET /api/v2/organizations/:organization_name/entitlement-set',
    'GET /api/v2/organizations',
    'GET /api/v2/organizations/:organization_name/teams',
    'POST /api/v2/organizations/:organization_name/teams',
    'GET /api/v2/teams/:team_id',
    'PATCH /api/v2/teams/:team_id',
    'DELETE /api/v2/teams/:team_id',
    'POST /api/v2/teams/:team_id/relationships/users',
    'DELETE /api/v2/teams/:team_id/relationships/users',
    'POST /api/v2/organizations/:organization_name/oauth-clients',
    'DELETE /api/v2/oauth-clients/:oauth_client_id',
    'GET /api/v2/organizations/:organization_name/registry-modules',
    'POST /api/v2/organizations/:organization_name/registry-modules',
    'POST /api/v2/organizations/:organization_name/registry-modules/vcs',
    'POST /api/v2/registry-modules',
    'GET /api/v2/organizations/:organization_name/registry-modules/:registry_name/:namespace/:name/:provider',
    'PATCH /api/v2/organizations/:organization_name/registry-modules/:registry_name/:namespace/:name/:provider',
    'GET /api/v2/registry-modules/show/:organization_name/:name/:provider',
    'GET /api/v2/registry-modules/:module_id',
    'POST /api/v2/organizations/:organization_name/registry-modules/:registry_name/:namespace/:name/:provider/versions',
    'POST /api/v2/registry-modules/:organization_name/:name/:provider/versions',
    'DELETE /api/v2/organizations/:organization_name/registry-modules/:registry_name/:namespace/:name',
    'DELETE /api/v2/organizations/:organization_name/registry-modules/:registry_name/:namespace/:name/:provider',
    'DELETE /api/v2/organizations/:organization_name/registry-modules/:registry_name/:namespace/:name/:provider/:version',
    'POST /api/v2/registry-modules/actions/delete/:organization_name/:name',
    'POST /api/v2/registry-modules/actions/delete/:organization_name/:name/:provider',
    'POST /api/v2/registry-modules/actions/delete/:organization_name/:name/:provider/:version',
    // Ping (behaviour/platform#ping), and the object store of behaviour/platform#api-endpoints.
    'GET /api/v2/ping',
    'PUT /v1/object/:secret',
    'GET /v1/object/:secret',
  ])('%s is served', (operation) => {
    expect(served).toContain(operation)
  })

  test('behaviour/platform#api-versioning: deprecated routes are marked as such', () => {
    const deprecated = platformOperations.filter(({ id }) => id.endsWith('Deprecated'))
    expect(deprecated).toHaveLength(10)
    for (const { summary, spec } of deprecated) {
      expect(summary).toMatch(/^Deprecated: /)
      expect(spec).toContain('behaviour/platform#api-versioning')
    }
  })

  test('behaviour/platform#vendor-names: only the vendor dialect has service discovery', () => {
    const discovery = 'GET /.well-known/terraform.json'
    const vendor = platformCoverage('vendor').operations
    expect(served).not.toContain(discovery)
    expect(vendor.map(({ verb, path }) => `${verb} ${path}`)).toContain(discovery)
  })
})
