import type { KnownDifference, OracleApi } from './api.ts'
import { asRoot, type OracleRequest, type Target } from './request.ts'
import { schedulerSequences } from './scheduler-requests.ts'

/** Lists how the mock, in the vendor dialect, is meant to differ from the open product. */
const known: readonly KnownDifference[] = [
  {
    kind: /: status (?:403 → [45]\d\d|[45]\d\d → 403)$/,
    reason: 'behaviour/scheduler#auth: rights are looked at at one moment for each operation',
  },
  {
    kind: /: 403$/,
    told: /Permission denied|ACL token not found/,
    reason: 'What of a caller without rights is told first',
  },
  {
    kind: /: (?:400|500)$/,
    told: /json: cannot unmarshal|invalid character/,
    reason: 'The place within a body is called by the types of the product',
  },
  {
    kind: /(?:Evaluations?: 200|CreatedEvals)\./,
    reason: 'behaviour/scheduler#job-evaluations: all its members; there no empty ones',
  },
  {
    kind: /FailedTGAllocs\..*NodePool$/,
    reason: 'behaviour/scheduler#placement-metrics: they tell the node pool, as later ones do',
  },
  {
    kind: /^(?:list|read)JobNamespaces?: 200.*\.Hash$/,
    reason: 'behaviour/scheduler#namespaces: they tell no hash',
  },
  {
    kind: /^validateJob: /,
    told: /nonexistent namespace/,
    reason: 'The namespace is the one of the request here, and that of the job there',
  },
]

const managementToken = '11111111-2222-3333-4444-555555555555'

/** The id of nothing. */
const untold = '01234567-89ab-cdef-0123-456789abcdef'

function ask(target: Target, method: string, path: string) {
  return target.send({ ...asRoot(method, path), token: target.token })
}

/** Asks so often at most whether everything is decided. */
const looks = 50

/** Waits until no evaluation of what was written is open; those that wait for nodes may be. */
async function settle(target: Target, { method }: OracleRequest): Promise<void> {
  if (method === 'GET') return
  for (let look = 0; look < looks; look++) {
    const { body } = await ask(target, 'GET', 'evaluations?namespace=*')
    const open = Array.isArray(body) ? body.filter(({ Status }) => Status === 'pending') : []
    if (open.length === 0) return
  }
}

/** The lists of what sequences make, and the path that removes an entry. */
const made: readonly (readonly [
  list: string,
  path: (row: Readonly<Record<string, unknown>>) => string,
])[] = [
  ['jobs?namespace=*', (row) => `job/${text(row['ID'])}?purge=true&namespace=${row['Namespace']}`],
  ['vars?namespace=*', (row) => `var/${row['Path']}?namespace=${row['Namespace']}`],
  ['acl/tokens', (row) => `acl/token/${row['AccessorID']}`],
  ['acl/roles', (row) => `acl/role/${row['ID']}`],
  ['acl/policies', (row) => `acl/policy/${text(row['Name'])}`],
  ['namespaces', (row) => `namespace/${text(row['Name'])}`],
]

function text(value: unknown): string {
  return encodeURIComponent(String(value))
}

async function clear(target: Target): Promise<void> {
  for (const [list, path] of made) {
    const { body } = await ask(target, 'GET', list)
    for (const row of Array.isArray(body) ? body : []) {
      if (row.Name !== 'default' && row.Type !== 'management')
        await ask(target, 'DELETE', path(row))
    }
  }
  // Evaluations go with it, and jobs that were told to end.
  await ask(target, 'PUT', 'system/gc')
}

/** The jobs API, as the oracle asks it: a cluster without clients, which places nothing. */
export const schedulerOracle: OracleApi = {
  name: 'scheduler',
  tokenHeader: 'x-nomad-token',
  token: managementToken,
  setUp: {
    options: {
      scheduler: { aclEnabled: true, initialManagementToken: managementToken, timeScale: 0 },
    },
    fixtures: { scheduler: { nodes: [] } },
  },
  captures: [
    { name: '$eval', of: /Job$/, at: ['EvalID'], untold },
    { name: '$index', of: /^(?:readJob|readVariable)$/, at: ['ModifyIndex'], untold: 1 },
    { name: '$index', of: /^(?:register|update)Job$/, at: ['JobModifyIndex'] },
    { name: '$role', of: /AclRole$/, at: ['ID'], untold },
    { name: '$accessor', of: /^createJobAclToken$/, at: ['AccessorID'], untold },
    { name: '$token', of: /^createJobAclToken$/, at: ['SecretID'], untold },
    { name: '$deployment', of: /^(?:read|list)\w*Deployments?$/, at: ['0', 'ID'], untold },
  ],
  // Those of the enterprise edition, and of volumes.
  omitted: new Set([
    'ConsulConfiguration',
    'VaultConfiguration',
    'NodePoolConfiguration',
    'VolumeEvalID',
    'VolumeEvalIndex',
  ]),
  drawn(name, value) {
    if (name === 'Hash' && value !== null) return '<Hash>'
    if (typeof value !== 'number' || value <= 0) return undefined
    if (/Index$/.test(name)) return '<index>'
    return /Time(?:Unix)?$/.test(name) ? '<time>' : undefined
  },
  cleared: [[/\bindex(es)?:? \d+/g, 'index$1 <index>']],
  sequences: (longest) => schedulerSequences(longest),
  before: [],
  after: [],
  settle,
  clear,
  known,
}
