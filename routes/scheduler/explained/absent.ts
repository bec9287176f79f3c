import type { World } from '../../../state/kernel/world.ts'
import { aclPolicies, aclRoles } from '../../../state/scheduler/acl/tables.ts'
import {
  allocations,
  deployments,
  evaluations,
  nodePools,
  nodes,
} from '../../../state/scheduler/cluster/tables.ts'
import { namespaces } from '../../../state/scheduler/namespaces.ts'
import { jobs } from '../../../state/scheduler/records/tables.ts'
import { variables } from '../../../state/scheduler/variables/tables.ts'
import { paramsOf } from '../../http/asked-params.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/explains.ts'
import { closestName } from '../../http/likeness.ts'
import { apiPrefix } from '../coverage.ts'
import { schedulerOperations } from '../operations.ts'

/** A kind of things that requests ask for by name. */
interface Kind {
  readonly noun: string
  readonly spec: string
  /** The parameter of the path that names it. */
  readonly parameter: string
  names(world: World, namespace: string): readonly string[]
  /** Where else something of that name is. */
  elsewhere?(world: World, name: string): readonly string[]
}

const job: Kind = {
  noun: 'job',
  spec: 'behaviour/scheduler#jobs',
  parameter: 'id',
  names: (world, namespace) => [...world.table(jobs).rows(`${namespace} `)].map(({ ID }) => ID),
  elsewhere: (world, name) =>
    [...world.table(jobs).rows()].filter(({ ID }) => ID === name).map((row) => row.Namespace),
}

const variable: Kind = {
  noun: 'variable',
  spec: 'behaviour/scheduler#services',
  parameter: 'path',
  names: (world, namespace) =>
    [...world.table(variables).rows(`${namespace} `)].map(({ Path }) => Path),
  elsewhere: (world, name) =>
    [...world.table(variables).rows()]
      .filter(({ Path }) => Path === name)
      .map((row) => row.Namespace),
}

const cluster = 'behaviour/scheduler#job-files'

/** Something with an id that the cluster gave. */
function identified(noun: string, names: Kind['names']): Kind {
  return { noun, spec: cluster, parameter: 'id', names }
}

const acl = 'behaviour/scheduler#beyond'

const namespace: Kind = {
  noun: 'namespace',
  spec: acl,
  parameter: 'name',
  names: (world) => [...world.table(namespaces).rows()].map(({ Name }) => Name),
}
const allocation = identified('allocation', (world) =>
  [...world.table(allocations).rows()].map(({ ID }) => ID),
)
const deployment = identified('deployment', (world) =>
  [...world.table(deployments).rows()].map(({ ID }) => ID),
)
const evaluation = identified('evaluation', (world) =>
  [...world.table(evaluations).rows()].map(({ ID }) => ID),
)
const node = identified('node', (world) => [...world.table(nodes).rows()].map(({ ID }) => ID))
const role = identified('role', (world) => [...world.table(aclRoles).rows()].map(({ ID }) => ID))

/** The kinds by the rules that say that one is not there. */
const kinds: Readonly<Record<string, Kind>> = {
  'job-not-found': job,
  'job-versions-not-found': job,
  'job-source-not-found': job,
  'scale-job-not-found': job,
  'evaluate-job-not-found': job,
  'launch-job-not-found': job,
  'revert-job-not-found': job,
  'dispatch-job-not-found': job,
  'variable-not-found': variable,
  'namespace-not-found': namespace,
  'deleted-namespace-not-found': namespace,
  'alloc-not-found': allocation,
  'allocation-not-found': allocation,
  'allocation-unknown': allocation,
  'client-allocation-unknown': allocation,
  'deployment-not-found': deployment,
  'deployment-unknown': deployment,
  'eval-not-found': evaluation,
  'node-not-found': node,
  'node-pool-not-found': {
    ...identified('node pool', (world) =>
      [...world.table(nodePools).rows()].map(({ Name }) => Name),
    ),
    parameter: 'name',
  },
  'policy-not-found': {
    noun: 'ACL policy',
    spec: acl,
    parameter: 'name',
    names: (world) => [...world.table(aclPolicies).rows()].map(({ Name }) => Name),
  },
  'role-not-found': role,
  'deleted-role-not-found': role,
}

/** Something that was asked for is not there; there may be something of nearly that name. */
export function absentOf(asked: ExplainedRequest): Diagnosis | undefined {
  const kind = kinds[asked.rule]
  if (kind === undefined) return undefined
  const { noun, spec, parameter } = kind
  const { [parameter]: name = '' } = paramsOf(asked, apiPrefix)
  const place = [asked.query['namespace']].flat()[0] ?? 'default'
  const elsewhere = kind.elsewhere?.(asked.world, name).filter((each) => each !== place) ?? []
  const [other] = elsewhere
  if (other !== undefined) {
    return {
      rule: `${noun}-in-other-namespace`,
      because: `the ${noun} ${name} is in the namespace ${other}, not in ${place}`,
      change: `Send ?namespace=${other}`,
      request: { query: { namespace: other } },
      spec,
    }
  }
  const wrongPart = subpathOf(noun, name)
  if (wrongPart !== undefined) return { ...wrongPart, spec }
  const where = kind.elsewhere === undefined ? '' : ` in the namespace ${place}`
  const because = `there is no ${noun} ${name}${where}`
  const near = closestName(name, kind.names(asked.world, place))
  if (near === undefined) return { because, change: `Make the ${noun} ${name} first`, spec }
  return {
    because: `${because}; there is ${near}`,
    change: `Ask for ${near}`,
    request: { path: asked.path.replace(encodeURI(name), near) },
    spec,
  }
}

/** The name of a job may hold slashes: a misspelt part behind it is taken for some of it. */
function subpathOf(noun: string, name: string): Diagnosis | undefined {
  const slash = name.lastIndexOf('/')
  if (noun !== 'job' || slash < 0) return undefined
  const [thing, part] = [name.slice(0, slash), name.slice(slash + 1)]
  const parts = schedulerOperations.flatMap(
    ({ path }) => /^\/job\/:id\/(\w+)$/.exec(path)?.[1] ?? [],
  )
  const near = closestName(part, parts)
  if (near === undefined) return undefined
  return {
    rule: 'unknown-path',
    because: `"${part}" is no part of a job, so ${name} was taken for its ID; there is "${near}"`,
    change: `Send it to ${apiPrefix}/job/${thing}/${near}`,
    request: { path: `${apiPrefix}/job/${thing}/${near}` },
  }
}
