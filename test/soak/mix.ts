/** A request of the mix: paths are of the world that it is sent to. */
export interface SoakRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly payload?: unknown
}

/** Numbers below a bound that a seed tells, each in its turn. */
export type Draw = (below: number) => number

/** A generator of 32 bits (xorshift): the same seed asks the same. */
export function drawsOf(seed: number): Draw {
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

/** What clients ask, of all APIs: each names few things, so that what is there stays bounded. */
const kinds: readonly ((draw: Draw) => SoakRequest)[] = [
  (draw) => ({
    method: 'POST',
    url: `/v1/secret/data/app/${draw(500)}`,
    payload: { data: { value: `v${draw(1e6)}` } },
  }),
  (draw) => ({ method: 'GET', url: `/v1/secret/data/app/${draw(500)}` }),
  () => ({ method: 'GET', url: '/v1/secret/metadata/app?list=true' }),
  (draw) => ({ method: 'DELETE', url: `/v1/secret/metadata/app/${draw(500)}` }),
  (draw) => ({ method: 'PUT', url: `/v1/kv/plain/${draw(200)}`, payload: { a: draw(9) } }),
  (draw) => ({ method: 'GET', url: `/v1/kv/plain/${draw(200)}` }),
  (draw) => ({
    method: 'POST',
    url: '/v1/auth/token/create',
    payload: { ttl: `${1 + draw(20)}s`, num_uses: draw(3), policies: ['default'] },
  }),
  () => ({ method: 'GET', url: '/v1/auth/token/lookup-self' }),
  () => ({ method: 'POST', url: '/v1/sys/wrapping/wrap', payload: { a: 'b' } }),
  (draw) => ({
    method: 'POST',
    url: `/v1/sys/policies/acl/p${draw(50)}`,
    payload: { policy: `path "secret/data/${draw(99)}/*" { capabilities = ["read"] }` },
  }),
  (draw) => ({
    method: 'POST',
    url: '/v1/sys/capabilities-self',
    payload: { paths: [`secret/data/${draw(99)}`] },
  }),
  () => ({ method: 'GET', url: modules }),
  () => ({ method: 'GET', url: `${modules}/registry-modules` }),
  (draw) => ({
    method: 'POST',
    url: '/api/v2/organizations',
    payload: {
      data: { type: 'organizations', attributes: { name: `org-${draw(40)}`, email: 'a@b.c' } },
    },
  }),
  (draw) => ({ method: 'DELETE', url: `/api/v2/organizations/org-${draw(40)}` }),
  (draw) => ({
    method: 'PUT',
    url: '/v1/namespace',
    payload: { Name: `team-${draw(60)}`, Description: `d${draw(99)}` },
  }),
  (draw) => ({ method: 'GET', url: `/v1/namespace/team-${draw(60)}` }),
  () => ({ method: 'GET', url: '/v1/namespaces' }),
  (draw) => ({ method: 'DELETE', url: `/v1/namespace/team-${draw(60)}` }),
  (draw) => ({ method: 'PUT', url: '/v1/jobs', payload: job(`job-${draw(30)}`, draw(10)) }),
  (draw) => ({ method: 'GET', url: `/v1/job/job-${draw(30)}` }),
  () => ({ method: 'GET', url: '/v1/jobs?prefix=job' }),
  (draw) => ({ method: 'GET', url: `/v1/job/job-${draw(30)}/allocations` }),
  (draw) => ({ method: 'DELETE', url: `/v1/job/job-${draw(30)}?purge=${draw(2) === 0}` }),
  (draw) => ({ method: 'GET', url: `/v1/job/none-${draw(1e6)}` }),
  (draw) => ({ method: 'GET', url: `/v1/secret/data/none/${draw(1e6)}` }),
]

/** The next request of the mix. */
export function nextRequest(draw: Draw): SoakRequest {
  const kind = kinds[draw(kinds.length)] ?? kinds[0]
  if (kind === undefined) throw new Error('there is nothing to ask')
  return kind(draw)
}
