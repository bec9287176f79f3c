import { describe, expect, test } from 'vitest'
import { schedulerOperations } from '../../../routes/scheduler/operations.ts'
import { exampleJob, failureOf, frozenScheduler, register } from './support.ts'

const id = '00000000-0000-4000-8000-000000000000'

/**
 * Paths below `/v1/` that the reference's own client calls and behaviour/scheduler covers, by
 * method.
 */
const called: Readonly<Record<string, string>> = {
  'acl/auth-methods': 'GET',
  'acl/binding-rules': 'GET',
  'acl/bootstrap': 'PUT',
  'acl/policies': 'GET',
  'acl/policy/reader': 'GET PUT DELETE',
  'acl/role': 'PUT',
  [`acl/role/${id}`]: 'GET PUT DELETE',
  'acl/role/name/reader': 'GET',
  'acl/roles': 'GET',
  'acl/token': 'PUT',
  [`acl/token/${id}`]: 'GET PUT DELETE',
  'acl/token/self': 'GET',
  'acl/token/onetime': 'PUT',
  'acl/token/onetime/exchange': 'PUT',
  'acl/tokens': 'GET',
  'agent/health': 'GET',
  'agent/members': 'GET',
  'agent/self': 'GET',
  'agent/servers': 'GET',
  [`allocation/${id}`]: 'GET',
  [`allocation/${id}/services`]: 'GET',
  [`allocation/${id}/stop`]: 'PUT',
  allocations: 'GET',
  [`client/allocation/${id}/checks`]: 'GET',
  [`client/allocation/${id}/gc`]: 'GET',
  [`client/allocation/${id}/restart`]: 'PUT',
  [`client/allocation/${id}/signal`]: 'PUT',
  [`client/allocation/${id}/stats`]: 'GET',
  [`client/fs/cat/${id}`]: 'GET',
  [`client/fs/logs/${id}`]: 'GET',
  [`client/fs/ls/${id}`]: 'GET',
  [`client/fs/readat/${id}`]: 'GET',
  [`client/fs/stat/${id}`]: 'GET',
  [`client/fs/stream/${id}`]: 'GET',
  'client/gc': 'GET',
  'client/metadata': 'GET POST',
  'client/stats': 'GET',
  [`deployment/${id}`]: 'GET',
  [`deployment/allocation-health/${id}`]: 'PUT',
  [`deployment/allocations/${id}`]: 'GET',
  [`deployment/fail/${id}`]: 'PUT',
  [`deployment/pause/${id}`]: 'PUT',
  [`deployment/promote/${id}`]: 'PUT',
  [`deployment/unblock/${id}`]: 'PUT',
  deployments: 'GET',
  [`evaluation/${id}`]: 'GET',
  [`evaluation/${id}/allocations`]: 'GET',
  evaluations: 'GET DELETE',
  'evaluations/count': 'GET',
  'event/stream': 'GET',
  'job/web': 'GET PUT DELETE',
  'job/web/actions': 'GET',
  'job/web/allocations': 'GET',
  'job/web/deployment': 'GET',
  'job/web/deployments': 'GET',
  'job/web/dispatch': 'PUT',
  'job/web/evaluate': 'PUT',
  'job/web/evaluations': 'GET',
  'job/web/periodic/force': 'PUT',
  'job/web/plan': 'PUT',
  'job/web/revert': 'PUT',
  'job/web/scale': 'GET PUT',
  'job/web/services': 'GET',
  'job/web/stable': 'PUT',
  'job/web/submission': 'GET',
  'job/web/summary': 'GET',
  'job/web/versions': 'GET',
  'job/web/versions/golden/tag': 'PUT DELETE',
  jobs: 'GET PUT',
  'jobs/parse': 'PUT',
  'jobs/statuses': 'GET POST',
  metrics: 'GET',
  namespace: 'PUT',
  'namespace/team': 'GET PUT DELETE',
  namespaces: 'GET',
  [`node/${id}`]: 'GET',
  [`node/${id}/allocations`]: 'GET',
  [`node/${id}/drain`]: 'PUT',
  [`node/${id}/eligibility`]: 'PUT',
  [`node/${id}/evaluate`]: 'PUT',
  [`node/${id}/purge`]: 'PUT',
  'node/pool/big': 'GET PUT DELETE',
  'node/pool/big/jobs': 'GET',
  'node/pool/big/nodes': 'GET',
  'node/pools': 'GET PUT',
  nodes: 'GET',
  'operator/autopilot/configuration': 'GET',
  'operator/autopilot/health': 'GET',
  [`operator/keyring/key/${id}`]: 'DELETE',
  'operator/keyring/keys': 'GET',
  'operator/keyring/rotate': 'PUT',
  'operator/license': 'GET PUT',
  'operator/raft/configuration': 'GET',
  'operator/scheduler/configuration': 'GET PUT',
  'plugin/csi/x': 'GET',
  plugins: 'GET',
  quota: 'PUT',
  'quota/x': 'GET PUT DELETE',
  quotas: 'GET',
  recommendations: 'GET',
  regions: 'GET',
  'scaling/policies': 'GET',
  [`scaling/policy/${id}`]: 'GET',
  search: 'PUT',
  'search/fuzzy': 'PUT',
  'sentinel/policies': 'GET',
  'service/redis': 'GET',
  'service/redis/x': 'DELETE',
  services: 'GET',
  'status/leader': 'GET',
  'status/peers': 'GET',
  'system/gc': 'PUT',
  'system/reconcile/summaries': 'PUT',
  'validate/job': 'PUT',
  'var/app/db': 'GET PUT DELETE',
  vars: 'GET',
  'volume/csi/x': 'GET PUT DELETE',
  'volume/csi/x/create': 'PUT',
  'volume/csi/x/delete': 'DELETE',
  'volume/csi/x/detach': 'DELETE',
  volumes: 'GET PUT',
  'volumes/external': 'GET',
  'volumes/snapshot': 'GET PUT DELETE',
}

/**
 * Other paths that the client calls. The path or the method of each is unknown here, because it is
 * out of scope. Actions of jobs are not listed, since `web/actions` may be the ID of a job.
 */
const outOfScope: Readonly<Record<string, string>> = {
  'acl/auth-method': 'PUT',
  'acl/auth-method/github': 'GET PUT DELETE',
  'acl/binding-rule': 'PUT',
  [`acl/binding-rule/${id}`]: 'GET PUT DELETE',
  'acl/login': 'PUT',
  'acl/oidc/auth-url': 'PUT',
  'acl/oidc/complete-auth': 'PUT',
  'agent/force-leave': 'PUT',
  'agent/host': 'GET',
  'agent/join': 'PUT',
  'agent/keyring/install': 'PUT',
  'agent/keyring/list': 'GET',
  'agent/keyring/remove': 'PUT',
  'agent/keyring/use': 'PUT',
  'agent/monitor': 'GET',
  'agent/pprof/profile': 'GET',
  'agent/schedulers': 'GET',
  'agent/schedulers/config': 'GET PUT',
  'agent/servers': 'PUT',
  [`client/allocation/${id}/exec`]: 'GET',
  [`client/allocation/${id}/pause`]: 'GET PUT',
  'operator/autopilot/configuration': 'PUT',
  'operator/raft/peer': 'DELETE',
  'operator/raft/transfer-leadership': 'PUT',
  'operator/snapshot': 'GET PUT',
  'operator/upgrade-check/vault-workload-identity': 'GET',
}

function callsIn(table: Readonly<Record<string, string>>) {
  return Object.entries(table).flatMap(([path, methods]) =>
    methods.split(' ').map((method) => ({ method, path })),
  )
}

const patterns = schedulerOperations.map((operation) => ({
  operation,
  // Only the first parameter may contain slashes.
  pattern: new RegExp(`^${operation.path.replace(/:[^/]+/, '.+').replaceAll(/:[^/]+/g, '[^/]+')}$`),
}))

function isServed(method: string, path: string): boolean {
  return patterns.some(({ operation, pattern }) => {
    const takes = operation.method === 'POST' ? ['POST', 'PUT'] : [operation.method]
    return (operation.acceptsAnyMethod || takes.includes(method)) && pattern.test(`/${path}`)
  })
}

describe('calls of the reference client', () => {
  test.each(callsIn(called))(
    '$method $path is served (behaviour/scheduler)',
    ({ method, path }) => {
      expect(isServed(method, path)).toBe(true)
    },
  )

  // choice/scheduler#scheduler-missing-paths
  test('actions of a job cannot be run: the path may be a job with that ID', async () => {
    const { scheduler: client } = await frozenScheduler()
    await register(client, exampleJob())
    expect(await failureOf(client.get('job/example/action'))).toEqual([404, 'job not found'])
    await register(client, exampleJob({ ID: 'example/action' }))
    expect((await client.get('job/example/action')).body.ID).toBe('example/action')
  })

  // choice/scheduler#job-acl-roles choice/scheduler#cluster-missing-paths
  test('paths out of scope are answered as by a server without them', async () => {
    const { scheduler: client } = await frozenScheduler({ dialect: 'vendor' })
    for (const { method, path } of callsIn(outOfScope)) {
      const [status, text] = await failureOf(client.request(method, path))
      const isKnown = path in called
      const message = path.startsWith('client/') ? 'resource not found' : ''
      expect([method, path, status, text]).toEqual([
        method,
        path,
        ...(path.startsWith('operator/autopilot/')
          ? [404, 'Invalid method']
          : isKnown
            ? [405, 'Invalid method']
            : [404, message]),
      ])
    }
  })
})
