import type { TableDefinition } from '../../../state/kernel/store/table.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { aclPolicies, aclRoles } from '../../../state/scheduler/acl/tables.ts'
import {
  allocations,
  deployments,
  evaluations,
  nodePools,
  nodes,
} from '../../../state/scheduler/cluster/model/tables.ts'
import { namespaces } from '../../../state/scheduler/namespaces.ts'
import { jobs } from '../../../state/scheduler/records/tables.ts'
import { variables } from '../../../state/scheduler/variables/tables.ts'
import { closestName } from '../../http/declare/similarity.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import { paramsOf } from '../../http/journal-hooks/path-params.ts'
import { apiPrefix } from '../documents.ts'
import { schedulerOperations } from '../operations.ts'

/** A kind of object that paths name, with the data from which explanations suggest another name. */
interface ResourceKind {
  readonly noun: string
  readonly spec: string
  readonly parameter: string
  names(world: World, namespace: string): readonly string[]
  /** Returns all namespaces that contain an object with this name. */
  namespacesWith?(world: World, name: string): readonly string[]
  /** Path that lists the objects. Set for kinds whose ids callers cannot guess. */
  readonly list?: string
}

const job: ResourceKind = {
  noun: 'job',
  spec: 'behaviour/scheduler#jobs',
  parameter: 'id',
  names: (world, namespace) => [...world.table(jobs).rows(`${namespace} `)].map(({ ID }) => ID),
  namespacesWith: (world, name) =>
    [...world.table(jobs).rows()].filter(({ ID }) => ID === name).map((row) => row.Namespace),
}

const variable: ResourceKind = {
  noun: 'variable',
  spec: 'behaviour/scheduler#variables',
  parameter: 'path',
  names: (world, namespace) =>
    [...world.table(variables).rows(`${namespace} `)].map(({ Path }) => Path),
  namespacesWith: (world, name) =>
    [...world.table(variables).rows()]
      .filter(({ Path }) => Path === name)
      .map((row) => row.Namespace),
}

const clusterSpec = 'behaviour/scheduler#cluster'

/** Returns a `ResourceKind` for objects whose IDs the cluster assigns. */
function idKind(noun: string, table: TableDefinition<{ readonly ID: string }>): ResourceKind {
  const names: ResourceKind['names'] = (world) => [...world.table(table).rows()].map(({ ID }) => ID)
  return { noun, spec: clusterSpec, parameter: 'id', names, list: `${apiPrefix}/${noun}s` }
}

const aclSpec = 'behaviour/scheduler#beyond'

const namespace: ResourceKind = {
  noun: 'namespace',
  spec: aclSpec,
  parameter: 'name',
  names: (world) => [...world.table(namespaces).rows()].map(({ Name }) => Name),
}
const allocation = idKind('allocation', allocations)
const deployment = idKind('deployment', deployments)
const evaluation = idKind('evaluation', evaluations)
const node = idKind('node', nodes)
const role: ResourceKind = { ...idKind('role', aclRoles), list: `${apiPrefix}/acl/roles` }

/** Kinds of the missing object, by the rule of the refusal. */
const kindByRule: Readonly<Record<string, ResourceKind>> = {
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
    noun: 'node pool',
    spec: clusterSpec,
    parameter: 'name',
    names: (world) => [...world.table(nodePools).rows()].map(({ Name }) => Name),
  },
  'policy-not-found': {
    noun: 'ACL policy',
    spec: aclSpec,
    parameter: 'name',
    names: (world) => [...world.table(aclPolicies).rows()].map(({ Name }) => Name),
  },
  'role-not-found': role,
  'deleted-role-not-found': role,
}

/**
 * Explains that an object does not exist, and suggests one of these: the namespace that has an
 * object with the same name, the correct path below a job, an object with a similar name, a list of
 * such objects, or the creation of the object. Returns undefined for refusals that are not about a
 * missing object.
 */
export function explainAbsence(request: ExplainedRequest): Diagnosis | undefined {
  const kind = kindByRule[request.rule]
  if (kind === undefined) return undefined
  const { noun, spec, parameter } = kind
  const { [parameter]: name = '' } = paramsOf(request, apiPrefix)
  const requestedNamespace = [request.query['namespace']].flat()[0] ?? 'default'
  const otherNamespaces =
    kind.namespacesWith?.(request.world, name).filter((each) => each !== requestedNamespace) ?? []
  const [otherNamespace] = otherNamespaces
  if (otherNamespace !== undefined) {
    return {
      rule: `${noun}-in-other-namespace`,
      because: `the ${noun} ${name} is in the namespace ${otherNamespace}, not in ${requestedNamespace}`,
      change: `Send ?namespace=${otherNamespace}`,
      request: { query: { namespace: otherNamespace } },
      spec,
    }
  }
  const wrongPart = explainSubpath(noun, name)
  if (wrongPart !== undefined) return { ...wrongPart, spec }
  const where = kind.namespacesWith === undefined ? '' : ` in the namespace ${requestedNamespace}`
  const because = `there is no ${noun} ${name}${where}`
  const similar = closestName(name, kind.names(request.world, requestedNamespace))
  if (similar === undefined && kind.list !== undefined) {
    const { list } = kind
    return {
      because,
      change: `Find the ID of the ${noun} with GET ${list}`,
      request: { method: 'GET', path: list },
      spec,
    }
  }
  if (similar === undefined) return { because, change: `Create the ${noun} ${name} first`, spec }
  return {
    because: `${because}; the closest name is ${similar}`,
    change: `Use ${similar}`,
    request: { path: request.path.replace(encodeURI(name), similar) },
    spec,
  }
}

/**
 * Explains that the last segment of a path is misspelt. Such a segment counts as part of the job's
 * ID, because IDs may contain slashes. Returns undefined if no path below a job is similar.
 */
function explainSubpath(noun: string, name: string): Diagnosis | undefined {
  const slash = name.lastIndexOf('/')
  if (noun !== 'job' || slash < 0) return undefined
  const [jobId, part] = [name.slice(0, slash), name.slice(slash + 1)]
  const parts = schedulerOperations.flatMap(
    ({ path }) => /^\/job\/:id\/(\w+)$/.exec(path)?.[1] ?? [],
  )
  const similar = closestName(part, parts)
  if (similar === undefined) return undefined
  return {
    rule: 'unknown-path',
    because: `no path below a job is called "${part}", so ${name} was read as a job ID; the closest path is "${similar}"`,
    change: `Send the request to ${apiPrefix}/job/${jobId}/${similar}`,
    request: { path: `${apiPrefix}/job/${jobId}/${similar}` },
  }
}
