import type { Request } from './connection.ts'
import type { Scenario } from './scenario.ts'

const headers = { 'content-type': 'application/json' }
const bodyOf = (n: number, description: string) =>
  JSON.stringify({ Name: `team-${n}`, Description: description })

/** Requests that create 49 namespaces; with the default namespace there are 50. */
const before = Array.from(
  { length: 49 },
  (_, n): Request => ({
    method: 'PUT',
    path: '/v1/namespace',
    headers,
    body: bodyOf(n, 'one of fifty'),
  }),
)
const change = (description: string): Request => ({
  method: 'PUT',
  path: '/v1/namespace/team-7',
  headers,
  body: bodyOf(7, description),
})

/** Requests that register 100 healthy instances of a service. */
const instances = Array.from(
  { length: 100 },
  (_, n): Request => ({
    method: 'PUT',
    path: '/v1/agent/service/register',
    headers,
    body: JSON.stringify({
      ...{ ID: `web-${n}`, Name: 'web', Port: 8000 + n, Tags: ['a'], Meta: { version: '1' } },
      Check: { TTL: '24h', Status: 'passing' },
    }),
  }),
)

export const meshScenarios: readonly Scenario[] = [
  {
    name: 'mesh: read of a namespace',
    setUp: before,
    requests: [{ method: 'GET', path: '/v1/namespace/team-7' }],
    rate: 6000,
    against: 1,
  },
  {
    name: 'mesh: list of 50 namespaces',
    setUp: before,
    requests: [{ method: 'GET', path: '/v1/namespaces' }],
    rate: 3000,
    against: 1,
  },
  {
    name: 'mesh: write of a namespace',
    setUp: before,
    requests: [change('first'), change('second')],
    rate: 4000,
    against: 1,
  },
  {
    name: 'mesh: health of a service with 100 instances',
    api: 'mesh',
    setUp: instances,
    requests: [{ method: 'GET', path: '/v1/health/service/web?passing' }],
    rate: 1000,
    bare: { cpu: 1.9, rps: 0.5 },
    against: 1,
  },
]
