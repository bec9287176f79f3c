/** Random request; its path is relative to the world that receives it. */
export interface SoakRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly payload?: unknown
}

/** Function that returns the next pseudorandom number below a bound. */
export type RandomNumber = (below: number) => number

/** Returns a 32-bit xorshift generator, so that one seed always gives one sequence of requests. */
export function randomNumbers(seed: number): RandomNumber {
  let state = seed % 2_147_483_647 || 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

const job = (id: string, count: number) => ({
  Job: {
    ID: id,
    Name: id,
    Type: id.endsWith('1') ? 'batch' : 'service',
    Datacenters: ['dc1'],
    Meta: { round: String(count) },
    TaskGroups: [
      {
        Name: 'group',
        Count: 1 + (count % 3),
        Tasks: [{ Name: 'task', Driver: 'mock_driver', Config: { run_for: '1s' } }],
      },
    ],
  },
})

const modules = '/api/v2/organizations/example-org'

/**
 * Kinds of requests, to all APIs. Each uses few names, so that the amount of data stays bounded.
 */
const kinds: readonly ((random: RandomNumber) => SoakRequest)[] = [
  (random) => ({
    method: 'POST',
    url: `/v1/secret/data/app/${random(500)}`,
    payload: { data: { value: `v${random(1e6)}` } },
  }),
  (random) => ({ method: 'GET', url: `/v1/secret/data/app/${random(500)}` }),
  () => ({ method: 'GET', url: '/v1/secret/metadata/app?list=true' }),
  (random) => ({ method: 'DELETE', url: `/v1/secret/metadata/app/${random(500)}` }),
  (random) => ({ method: 'PUT', url: `/v1/kv/plain/${random(200)}`, payload: { a: random(9) } }),
  (random) => ({ method: 'GET', url: `/v1/kv/plain/${random(200)}` }),
  (random) => ({
    method: 'POST',
    url: '/v1/auth/token/create',
    payload: { ttl: `${1 + random(20)}s`, num_uses: random(3), policies: ['default'] },
  }),
  () => ({ method: 'GET', url: '/v1/auth/token/lookup-self' }),
  () => ({ method: 'POST', url: '/v1/sys/wrapping/wrap', payload: { a: 'b' } }),
  (random) => ({
    method: 'POST',
    url: `/v1/sys/policies/acl/p${random(50)}`,
    payload: { policy: `path "secret/data/${random(99)}/*" { capabilities = ["read"] }` },
  }),
  (random) => ({
    method: 'POST',
    url: '/v1/sys/capabilities-self',
    payload: { paths: [`secret/data/${random(99)}`] },
  }),
  () => ({ method: 'GET', url: modules }),
  () => ({ method: 'GET', url: `${modules}/registry-modules` }),
  (random) => ({
    method: 'POST',
    url: '/api/v2/organizations',
    payload: {
      data: { type: 'organizations', attributes: { name: `org-${random(40)}`, email: 'a@b.c' } },
    },
  }),
  (random) => ({ method: 'DELETE', url: `/api/v2/organizations/org-${random(40)}` }),
  (random) => ({
    method: 'PUT',
    url: '/v1/namespace',
    payload: { Name: `team-${random(60)}`, Description: `d${random(99)}` },
  }),
  (random) => ({ method: 'GET', url: `/v1/namespace/team-${random(60)}` }),
  () => ({ method: 'GET', url: '/v1/namespaces' }),
  (random) => ({ method: 'DELETE', url: `/v1/namespace/team-${random(60)}` }),
  (random) => ({ method: 'PUT', url: '/v1/jobs', payload: job(`job-${random(30)}`, random(10)) }),
  (random) => ({ method: 'GET', url: `/v1/job/job-${random(30)}` }),
  () => ({ method: 'GET', url: '/v1/jobs?prefix=job' }),
  (random) => ({ method: 'GET', url: `/v1/job/job-${random(30)}/allocations` }),
  (random) => ({ method: 'DELETE', url: `/v1/job/job-${random(30)}?purge=${random(2) === 0}` }),
  (random) => ({ method: 'GET', url: `/v1/job/none-${random(1e6)}` }),
  (random) => ({ method: 'GET', url: `/v1/secret/data/none/${random(1e6)}` }),
]

export function nextRequest(random: RandomNumber): SoakRequest {
  const kind = kinds[random(kinds.length)] ?? kinds[0]
  if (kind === undefined) throw new Error('there is nothing to ask')
  return kind(random)
}
