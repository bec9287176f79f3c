import type { Request } from './connection.ts'
import type { Scenario } from './scenario.ts'

const organization = '/api/v2/organizations/example-org'
const module = `${organization}/tests/registry-modules/private/example-org/network/cloud1`
const authorization = { authorization: 'Bearer owner-token' }
const headers = { ...authorization, 'content-type': 'application/vnd.api+json' }
const bodyOf = (type: string, attributes: object) => JSON.stringify({ data: { type, attributes } })

const before = Array.from(
  { length: 50 },
  (_, n): Request => ({
    method: 'POST',
    path: `${module}/vars`,
    headers,
    body: bodyOf('vars', { key: `KEY_${n}`, value: 'value', category: 'env' }),
  }),
)
const fixtures = {
  platform: {
    organizations: [
      {
        name: 'example-org',
        workspaces: [
          {
            name: 'one',
            configuration: { 'main.tf': 'resource "null_resource" "a" {}\n' },
            runs: Array.from({ length: 50 }, (_, n) => ({
              message: `Run ${n}`,
              status: 'errored',
            })),
          },
        ],
      },
    ],
  },
}
const withRuns: readonly Request[] = [
  {
    method: 'PUT',
    path: '/_mock/state',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(fixtures),
  },
]

const change = (email: string): Request => ({
  method: 'PATCH',
  path: organization,
  headers,
  body: bodyOf('organizations', { email }),
})

export const platformScenarios: readonly Scenario[] = [
  {
    name: 'platform: read of a module',
    setUp: before,
    requests: [
      {
        method: 'GET',
        path: `${organization}/registry-modules/private/example-org/network/cloud1`,
        headers: authorization,
      },
    ],
    rate: 6000,
    against: 1,
  },
  {
    name: 'platform: list of 50 variables',
    setUp: before,
    requests: [{ method: 'GET', path: `${module}/vars?page%5Bsize%5D=50`, headers: authorization }],
    rate: 2000,
    against: 1,
  },
  {
    name: 'platform: read of a workspace',
    setUp: withRuns,
    requests: [{ method: 'GET', path: `${organization}/workspaces/one`, headers: authorization }],
    rate: 4000,
    bare: { cpu: 1.9, rps: 0.4 },
    against: 1,
  },
  {
    name: 'platform: list of 50 runs',
    setUp: withRuns,
    requests: [
      { method: 'GET', path: `${organization}/runs?page%5Bsize%5D=50`, headers: authorization },
    ],
    rate: 1000,
    bare: { cpu: 1.9, rps: 0.4 },
    against: 1,
  },
  {
    name: 'platform: write of an organization',
    setUp: before,
    requests: [change('first@example.com'), change('second@example.com')],
    rate: 4000,
    against: 1,
  },
]
