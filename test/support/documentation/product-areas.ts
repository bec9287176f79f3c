import type { CoveredOperation } from '../../../routes/http/declare/coverage.ts'
import { meshCoverage } from '../../../routes/mesh/coverage.ts'
import { platformCoverage } from '../../../routes/platform/coverage.ts'
import { schedulerCoverage } from '../../../routes/scheduler/documents.ts'
import { secretsOperations } from '../../../routes/secrets/coverage.ts'

/** Extent of support for an area of a product. */
export type Extent = 'yes' | 'partly' | 'no'

/** Group of functions of a product, such as AppRole. */
export interface Area {
  readonly name: string
  /** Prefixes of declared operations (`VERB path`) that the area requires. */
  readonly requiredOperations: readonly string[]
  /** Short description of a limitation. An area with a limitation is at most partly supported. */
  readonly limitation?: string
}

/** Product with its areas and its supported operations. */
export interface Product {
  readonly name: string
  readonly areas: readonly Area[]
  readonly operations: () => readonly Pick<CoveredOperation, 'verb' | 'path'>[]
}

const area = (name: string, requiredOperations: readonly string[], limitation?: string): Area =>
  limitation === undefined ? { name, requiredOperations } : { name, requiredOperations, limitation }

const module = '/api/v2/organizations/:organization_name/tests/registry-modules/private/'

/** The four products with their areas, in the order of the generated tables. */
export const products: readonly Product[] = [
  {
    name: 'Vault, OpenBao',
    operations: secretsOperations,
    areas: [
      area('key-value 1 and 2', [
        'GET /v1/kv/',
        'PATCH /v1/secret/data/',
        'POST /v1/secret/undelete/',
      ]),
      area('tokens and token roles', ['POST /v1/auth/token/create', 'POST /v1/auth/token/roles/']),
      area('policies and capabilities', [
        'POST /v1/sys/policies/acl/',
        'POST /v1/sys/capabilities',
      ]),
      area('AppRole', ['POST /v1/auth/approle/login', 'POST /v1/auth/approle/role/']),
      area('userpass', ['POST /v1/auth/userpass/login/']),
      area(
        'JWT and OIDC logins',
        ['POST /v1/auth/jwt/login', 'POST /v1/auth/jwt/oidc/auth_url'],
        'no outside provider is asked',
      ),
      area('Kubernetes logins', ['POST /v1/auth/orch/login']),
      area('OCI logins', ['POST /v1/auth/cloud/login/']),
      area('identity: entities and groups', [
        'POST /v1/identity/entity',
        'POST /v1/identity/group',
      ]),
      area('transit', ['POST /v1/transit/encrypt/', 'POST /v1/transit/sign/']),
      area('Kubernetes credentials', ['POST /v1/orch/creds/']),
      area('cubbyhole', ['GET /v1/cubbyhole/']),
      area('leases', ['POST /v1/sys/leases/renew', 'POST /v1/sys/leases/revoke-prefix/']),
      area('response wrapping', ['POST /v1/sys/wrapping/unwrap', 'POST /v1/sys/wrapping/rewrap']),
      area('mounts', ['POST /v1/sys/mounts/', 'POST /v1/sys/remount', 'POST /v1/sys/auth/']),
      area('namespaces', ['POST /v1/sys/namespaces/']),
      area('seal, unseal, rekey', ['POST /v1/sys/unseal', 'POST /v1/sys/rekey/update']),
      area('root token generation', ['POST /v1/sys/generate-root/update']),
      area('disaster-recovery replication', ['POST /v1/sys/replication/dr/secondary/promote']),
      area('password policies', ['GET /v1/sys/policies/password/:name/generate']),
      area('help and OpenAPI', ['GET /v1/sys/internal/specs/openapi']),
      area('audit devices', ['POST /v1/sys/audit/'], 'nothing is written to them'),
      area(
        'plug-in catalogue',
        ['POST /v1/sys/plugins/catalog/:type/:name'],
        'registered ones are not run',
      ),
      area('second factors at logins', ['POST /v1/sys/mfa/validate'], 'TOTP only'),
      area('counters, rotation', ['GET /v1/sys/internal/counters/tokens'], 'figures are few'),
      area('PKI', ['POST /v1/pki/issue/'], 'no ACME'),
      area('database credentials', ['GET /v1/database/creds/'], 'databases are simulated'),
      area('TOTP', ['GET /v1/totp/code/']),
      area('SSH certificates and passwords', ['POST /v1/ssh/sign/', 'POST /v1/ssh/creds/']),
      area('identity tokens, OIDC providers', [
        'GET /v1/identity/oidc/token/',
        'POST /v1/identity/oidc/provider/',
      ]),
      area('quotas', ['POST /v1/sys/quotas/rate-limit/', 'POST /v1/sys/quotas/lease-count/']),
      area('MFA at logins', ['POST /v1/sys/mfa/validate']),
      area(
        'LDAP, GitHub, Okta logins',
        ['POST /v1/auth/ldap/login/', 'POST /v1/auth/github/login', 'POST /v1/auth/okta/login/'],
        'directories are simulated',
      ),
      area('certificate logins', ['POST /v1/auth/cert/login']),
      area('AWS, Azure, GCP credentials', ['GET /v1/aws/creds/']),
      area('performance replication', ['POST /v1/sys/replication/performance/primary/enable']),
    ],
  },
  {
    name: 'Terraform Enterprise',
    operations: () => platformCoverage().operations,
    areas: [
      area('module test runs, uploads, logs', [
        `POST ${module}`,
        'PUT /v1/object/',
        'GET /v1/object/',
      ]),
      area('test variables', [`PATCH ${module}:namespace/:name/:provider/vars/`]),
      area('admin settings', [
        'PATCH /api/v2/admin/saml-settings',
        'POST /api/v2/admin/sms-settings/verify',
      ]),
      area('organizations, teams, users, tokens', [
        'POST /api/v2/organizations',
        'POST /api/v2/teams/',
        'GET /api/v2/account/details',
      ]),
      area('private modules', ['POST /api/v2/organizations/:organization_name/registry-modules']),
      area('registry protocol', ['GET /api/registry/v1/modules/']),
      area('OAuth clients', ['POST /api/v2/organizations/:organization_name/oauth-clients']),
      area('projects', ['POST /api/v2/organizations/:organization_name/projects']),
      area(
        'workspaces',
        ['POST /api/v2/organizations/:organization_name/workspaces'],
        'pushes to repositories are simulated',
      ),
      area('runs, plans, applies', ['POST /api/v2/runs'], 'providers are simulated'),
      area('state versions', ['GET /api/v2/state-versions/']),
      area('variable sets', ['POST /api/v2/organizations/:organization_name/varsets']),
      area(
        'agent pools',
        ['POST /api/v2/organizations/:organization_name/agent-pools'],
        'agents are records and run nothing',
      ),
      area('team access', ['POST /api/v2/team-workspaces', 'POST /api/v2/team-projects']),
      area('policies, run tasks', ['POST /api/v2/organizations/:organization_name/tasks']),
    ],
  },
  {
    name: 'Consul',
    operations: () => meshCoverage().operations,
    areas: [
      area('namespaces', ['PUT /v1/namespace', 'GET /v1/namespaces']),
      area('key-value store', ['GET /v1/kv/', 'DELETE /v1/kv/']),
      area('sessions and locks', ['PUT /v1/session/create', 'PUT /v1/session/renew/']),
      area('transactions', ['PUT /v1/txn']),
      area('ACL policies, roles, tokens', [
        'PUT /v1/acl/policy',
        'PUT /v1/acl/role',
        'PUT /v1/acl/token/:accessor/clone',
      ]),
      area('catalog, health', ['GET /v1/health/service/', 'PUT /v1/catalog/register']),
      area(
        'services and checks of the agent',
        ['PUT /v1/agent/service/register', 'PUT /v1/agent/check/register'],
        'checks call nothing by default',
      ),
      area('auth methods', ['PUT /v1/acl/auth-method']),
      area('intentions, configuration entries', ['PUT /v1/config']),
      area('prepared queries', ['POST /v1/query']),
      area('events, coordinates', ['PUT /v1/event/fire/', 'GET /v1/coordinate/nodes']),
      area('snapshots', ['GET /v1/snapshot']),
    ],
  },
  {
    name: 'Nomad',
    operations: () => schedulerCoverage().operations,
    areas: [
      area('jobs, versions, plans', [
        'POST /v1/jobs',
        'GET /v1/job/:id/versions',
        'POST /v1/job/:id/plan',
      ]),
      area('job files', ['POST /v1/jobs/parse']),
      area('dispatch and periodic jobs', [
        'POST /v1/job/:id/dispatch',
        'POST /v1/job/:id/periodic/force',
      ]),
      area('evaluations, allocations', ['GET /v1/evaluations', 'POST /v1/allocation/:id/stop']),
      area('deployments', ['POST /v1/deployment/promote/']),
      area('scaling', ['POST /v1/job/:id/scale', 'GET /v1/scaling/policies']),
      area('nodes, draining, node pools', ['POST /v1/node/:id/drain', 'POST /v1/node/pools']),
      area('logs and files', ['GET /v1/client/fs/logs/']),
      area('namespaces', ['POST /v1/namespace']),
      area('ACL policies, roles, tokens', [
        'POST /v1/acl/policy/',
        'POST /v1/acl/role',
        'POST /v1/acl/token',
      ]),
      area('variables', ['POST /v1/var/'], 'they have no locks'),
      area('service discovery', ['GET /v1/services']),
      area('event stream', ['GET /v1/event/stream']),
      area('search', ['POST /v1/search/fuzzy']),
      area('operator, metrics', ['POST /v1/operator/scheduler/configuration', 'GET /v1/metrics']),
      area('scheduling', ['POST /v1/jobs'], 'the cluster is simulated'),
      area('commands in tasks (exec)', ['GET /v1/client/allocation/:id/exec']),
      area('CSI volumes', ['GET /v1/volumes', 'PUT /v1/volumes']),
      area('login methods', ['POST /v1/acl/auth-method']),
      area('Sentinel policies, quotas', ['POST /v1/quota']),
    ],
  },
]

/** Returns how far an area is supported by the given operations. */
export function extentOf(
  { requiredOperations, limitation }: Area,
  served: readonly string[],
): Extent {
  const present = requiredOperations.filter((required) =>
    served.some((operation) => operation.startsWith(required)),
  )
  if (present.length === 0) return 'no'
  return present.length === requiredOperations.length && limitation === undefined ? 'yes' : 'partly'
}

/**
 * Returns the area's limitation, if it declares one. Otherwise returns the missing operations of a
 * partly supported area, and an empty string for other areas.
 */
export function missingOf(
  { requiredOperations, limitation }: Area,
  served: readonly string[],
): string {
  const missing = requiredOperations.filter(
    (required) => !served.some((operation) => operation.startsWith(required)),
  )
  return limitation ?? (missing.length < requiredOperations.length ? missing.join(', ') : '')
}

/** Returns the operations of a product as `VERB path`. */
export function servedBy({ operations }: Product): readonly string[] {
  return operations().map(({ verb, path }) => `${verb} ${path}`)
}
