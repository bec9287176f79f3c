import type { World } from '../../../state/kernel/worlds/world.ts'
import { authMethods } from '../../../state/mesh/acl/auth-methods/tables.ts'
import { aclPolicies, aclRoles } from '../../../state/mesh/acl/tables.ts'
import { agentChecks, agentServices } from '../../../state/mesh/agent/tables.ts'
import { configEntries } from '../../../state/mesh/config/tables.ts'
import {
  allIntentions,
  destinationOf,
  sourceOf,
} from '../../../state/mesh/intentions/intentions.ts'
import { keyEntries } from '../../../state/mesh/kv/tables.ts'
import { namespaces } from '../../../state/mesh/namespaces/namespaces.ts'
import { preparedQueries } from '../../../state/mesh/queries/tables.ts'
import { closestName } from '../../http/declare/similarity.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import { paramsOf } from '../../http/journal-hooks/path-params.ts'
import { apiPrefix } from '../coverage.ts'

interface ExplainedKind {
  readonly noun: string
  readonly rule: string
  readonly parameter: string
  readonly spec: string
  names(world: World): readonly string[]
}

const namespace: ExplainedKind = {
  noun: 'namespace',
  rule: 'namespace-absent',
  parameter: 'name',
  spec: 'behaviour/mesh#namespace-writes',
  names: (world) => [...world.table(namespaces).rows()].map(({ name }) => name),
}

const aclSpec = 'behaviour/mesh#acl'

const agentServiceKind = {
  noun: 'agent service',
  parameter: 'id',
  spec: 'behaviour/mesh#agent-services',
  names: (world: World) => [...world.table(agentServices).rows()].map(({ id }) => id),
} as const

/**
 * Kinds of objects. The pattern of a kind matches the declared paths of operations on one object of
 * this kind.
 */
const kinds: readonly (readonly [path: RegExp, kind: ExplainedKind])[] = [
  [/^\/namespace\/:/, namespace],
  [
    /^\/kv\/:/,
    {
      noun: 'key',
      rule: 'key-absent',
      parameter: 'key',
      spec: 'behaviour/mesh#kv',
      names: (world) => [...world.table(keyEntries).rows()].map(({ key }) => key),
    },
  ],
  [
    /^\/acl\/policy\/name\/:/,
    {
      noun: 'policy',
      rule: 'object-absent',
      parameter: 'name',
      spec: aclSpec,
      names: (world) => [...world.table(aclPolicies).rows()].map(({ name }) => name),
    },
  ],
  [
    /^\/acl\/role\/name\/:/,
    {
      noun: 'role',
      rule: 'object-absent',
      parameter: 'name',
      spec: aclSpec,
      names: (world) => [...world.table(aclRoles).rows()].map(({ name }) => name),
    },
  ],
  [
    /^\/acl\/auth-method\/:/,
    {
      noun: 'auth method',
      rule: 'object-absent',
      parameter: 'name',
      spec: 'behaviour/mesh#auth-methods',
      names: (world) => [...world.table(authMethods).rows()].map(({ name }) => name),
    },
  ],
  [
    /^\/config\/:kind\/:/,
    {
      noun: 'configuration entry',
      rule: 'entry-absent',
      parameter: 'name',
      spec: 'behaviour/mesh#config',
      names: (world) => [...world.table(configEntries).rows()].map(({ name }) => name),
    },
  ],
  [
    /^\/query\/:/,
    {
      noun: 'prepared query',
      rule: 'query-absent',
      parameter: 'id',
      spec: 'behaviour/mesh#queries',
      names: (world) => [...world.table(preparedQueries).rows()].map(({ name }) => name),
    },
  ],
  [/^\/agent\/service\/:/, { ...agentServiceKind, rule: 'agent-service-unknown' }],
  [/^\/agent\/service\/\w+\/:/, { ...agentServiceKind, rule: 'agent-service-absent' }],
  [
    /^\/agent\/check\/\w+\/:/,
    {
      noun: 'agent check',
      rule: 'agent-check-absent',
      parameter: 'id',
      spec: 'behaviour/mesh#agent-checks',
      names: (world) => [...world.table(agentChecks).rows()].map(({ check_id }) => check_id),
    },
  ],
]

/**
 * Explains a 404 for a missing object and suggests an existing object with a similar name. Returns
 * undefined for other requests.
 */
export function explainAbsentObject(request: ExplainedRequest): Diagnosis | undefined {
  const { operation, status, path, world } = request
  if (status !== 404 || operation === undefined) return undefined
  const kind = kinds.find(([pattern]) => pattern.test(operation.path))?.[1]
  if (kind === undefined) return undefined
  const { noun, rule, parameter, spec } = kind
  const { [parameter]: name = '' } = paramsOf(request, apiPrefix)
  const namespaceName = [request.query['ns']].flat()[0]
  const location = namespaceName === undefined ? '' : ` in the namespace ${namespaceName}`
  const because = `there is no ${noun} ${name}${location}`
  const similar = closestName(name, kind.names(world))
  if (similar === undefined || similar === name) {
    return { rule, because, change: `Create the ${noun} ${name} first`, spec }
  }
  return {
    rule,
    because: `${because}; the closest name is ${similar}`,
    change: `Use ${similar}`,
    request: { path: path.replace(encodeURI(name), similar) },
    spec,
  }
}

const intentionSpec = 'behaviour/mesh#intentions'

/**
 * Explains that an intention does not exist, and suggests an existing intention between services
 * with similar names.
 */
export function explainAbsentIntention(request: ExplainedRequest): Diagnosis {
  const { world, query } = request
  const { id } = paramsOf(request, apiPrefix)
  if (id !== undefined) {
    return {
      because: `no intention has the ID ${id}; only POST connect/intentions gives intentions an ID`,
      change: 'Request the intention by its source and destination',
      spec: intentionSpec,
    }
  }
  const ends = ({ source, destination }: IntentionEnds) => `from ${source} to ${destination}`
  const requested = { source: textOf(query['source']), destination: textOf(query['destination']) }
  const known = allIntentions(world)
    .filter(({ source }) => !source.Peer)
    .map((intention): IntentionEnds => {
      const [source, destination] = [sourceOf(intention), destinationOf(intention)]
      return { source: source.name, destination: destination.name }
    })
  const closest = closestName(ends(requested), known.map(ends))
  const similar = known.find((each) => ends(each) === closest)
  const because = `there is no intention ${ends(requested)}`
  if (similar === undefined || ends(similar) === ends(requested)) {
    return { because, change: `Create the intention ${ends(requested)} first`, spec: intentionSpec }
  }
  return {
    because: `${because}; the closest is the intention ${ends(similar)}`,
    change: `Request the intention ${ends(similar)}`,
    request: { query: { ...similar } },
    spec: intentionSpec,
  }
}

/** Names of the source and the destination of an intention. */
interface IntentionEnds {
  readonly source: string
  readonly destination: string
}

const textOf = (value: string | readonly string[] | undefined) => [value].flat()[0] ?? ''
