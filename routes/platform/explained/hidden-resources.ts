import type { World } from '../../../state/kernel/worlds/world.ts'
import {
  type Caller,
  isMember,
  isOrganizationToken,
  isSiteAdmin,
} from '../../../state/platform/accounts/callers.ts'
import { userWithId } from '../../../state/platform/accounts/users.ts'
import { agentPoolWithId } from '../../../state/platform/agents/agent-pools.ts'
import { agentWithId } from '../../../state/platform/agents/agents.ts'
import { assessmentWithId } from '../../../state/platform/assessments/assessments.ts'
import { versionWithId } from '../../../state/platform/configuration-versions/configuration-versions.ts'
import { modules, moduleWithId } from '../../../state/platform/modules/modules.ts'
import { noCodeRows } from '../../../state/platform/no-code/no-code-modules.ts'
import { configurationWithId } from '../../../state/platform/notifications/configurations.ts'
import { membershipWithId } from '../../../state/platform/organizations/memberships.ts'
import { organizations } from '../../../state/platform/organizations/organizations.ts'
import { teamWithId } from '../../../state/platform/organizations/teams.ts'
import { policyWithId } from '../../../state/platform/policies/policies.ts'
import { policyCheckWithId } from '../../../state/platform/policies/policy-checks.ts'
import { policySetWithId } from '../../../state/platform/policies/policy-sets.ts'
import { projectWithId } from '../../../state/platform/projects/projects.ts'
import { resultWithId, stageWithId } from '../../../state/platform/run-tasks/stages.ts'
import { taskWithId, workspaceTaskWithId } from '../../../state/platform/run-tasks/tasks.ts'
import { runTriggerWithId } from '../../../state/platform/run-triggers/run-triggers.ts'
import { costEstimateWithId } from '../../../state/platform/runs/cost-estimates.ts'
import { commentWithId, eventWithId } from '../../../state/platform/runs/run-events.ts'
import { runWithId, runWithPart } from '../../../state/platform/runs/runs.ts'
import { sshKeyWithId } from '../../../state/platform/ssh-keys/ssh-keys.ts'
import { outputWithId, stateVersionWithId } from '../../../state/platform/states/state-versions.ts'
import { organizationTagWithId } from '../../../state/platform/tags/organization-tags.ts'
import { teamAccessWithId } from '../../../state/platform/team-access/team-access.ts'
import { testRunWithId } from '../../../state/platform/test-runs/test-runs.ts'
import { variableSetWithId } from '../../../state/platform/variable-sets/variable-sets.ts'
import { variableWithId } from '../../../state/platform/variables/variables.ts'
import { workspaces, workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import { closestName } from '../../http/declare/similarity.ts'
import type { Diagnosis, ExplainedRequest } from '../../http/journal-hooks/api-explanations.ts'
import { paramsOf } from '../../http/journal-hooks/path-params.ts'
import type { PlatformOperation } from '../operation.ts'
import { operationsByPrefix } from '../operations.ts'
import { explainMissingState, explainRefusedRun } from './workspaces.ts'

const spec = 'behaviour/platform#authentication'

/** A kind of resource that is found by its id. */
interface ResourceKind {
  readonly noun: string
  /** Prefix of ids, such as `ws-`. */
  readonly prefix: string
  /** Path parameter that contains the id. Default: the noun followed by `_id`. */
  readonly parameter?: string
  find(world: World, id: string): unknown
}

const kinds: readonly ResourceKind[] = [
  { noun: 'workspace', prefix: 'ws-', find: workspaceWithId },
  { noun: 'team', prefix: 'team-', find: teamWithId },
  { noun: 'user', prefix: 'user-', find: userWithId },
  { noun: 'project', prefix: 'prj-', find: projectWithId },
  { noun: 'module', prefix: 'mod-', find: moduleWithId },
  { noun: 'run', prefix: 'run-', find: runWithId },
  { noun: 'plan', prefix: 'plan-', find: runWithPart },
  { noun: 'apply', prefix: 'apply-', find: runWithPart },
  { noun: 'comment', prefix: 'wsc-', find: commentWithId },
  { noun: 'event', prefix: 're-', parameter: 'run_event_id', find: eventWithId },
  {
    noun: 'assessment',
    prefix: 'asmtres-',
    parameter: 'assessment_result_id',
    find: assessmentWithId,
  },
  { noun: 'policy', prefix: 'pol-', find: policyWithId },
  { noun: 'policy set', prefix: 'polset-', find: policySetWithId },
  { noun: 'policy check', prefix: 'polchk-', find: policyCheckWithId },
  { noun: 'cost estimate', prefix: 'ce-', find: costEstimateWithId },
  { noun: 'run trigger', prefix: 'rt-', find: runTriggerWithId },
  { noun: 'test run', prefix: 'trun-', find: testRunWithId },
  { noun: 'SSH key', prefix: 'sshkey-', find: sshKeyWithId },
  { noun: 'variable set', prefix: 'varset-', find: variableSetWithId },
  {
    noun: 'membership',
    prefix: 'ou-',
    parameter: 'organization_membership_id',
    find: membershipWithId,
  },
  { noun: 'notification configuration', prefix: 'nc-', find: configurationWithId },
  { noun: 'task stage', prefix: 'ts-', find: stageWithId },
  { noun: 'task result', prefix: 'taskrs-', find: resultWithId },
  { noun: 'no-code module', prefix: 'nocode-', find: noCodeRows.withId },
  { noun: 'task', prefix: 'task-', find: taskWithId },
  { noun: 'workspace task', prefix: 'wstask-', find: workspaceTaskWithId },
  { noun: 'agent', prefix: 'agent-', find: agentWithId },
  { noun: 'agent pool', prefix: 'apool-', find: agentPoolWithId },
  { noun: 'team access', prefix: 'tws-', parameter: 'team_workspace_id', find: teamAccessWithId },
  { noun: 'team access', prefix: 'tprj-', parameter: 'team_project_id', find: teamAccessWithId },
  { noun: 'tag', prefix: 'tag-', find: organizationTagWithId },
  { noun: 'variable', prefix: 'var-', find: variableWithId },
  { noun: 'state version', prefix: 'sv-', find: stateVersionWithId },
  { noun: 'output', prefix: 'wsout-', find: outputWithId },
  { noun: 'configuration version', prefix: 'cv-', parameter: 'id', find: versionWithId },
]

/**
 * Explains a 404: the resource does not exist, or the caller may not see it. Returns undefined for
 * a request without a known operation.
 */
export function explainHiddenResource(request: ExplainedRequest): Diagnosis | undefined {
  // The casts are safe: only this API sets the operations and callers of its requests.
  const operation = request.operation as PlatformOperation | undefined
  const caller = request.caller as Caller | undefined
  if (operation === undefined) return undefined
  if (operation.access === 'admin' && (caller === undefined || !isSiteAdmin(caller))) {
    return {
      rule: 'admin-only',
      because: `only site admins may call ${operation.id}, so it is hidden (404) from ${nameOf(caller)}`,
      change: 'Send the token of a site admin',
      spec,
    }
  }
  const params = paramsOf(request, apiPrefixOf(operation, request.path))
  return (
    explainUnknownOrganization(request, params, caller) ??
    explainUnknownName(request, params) ??
    explainUnknownId(request, params) ??
    missingRight(request, caller) ??
    explainRefusedRun(request) ??
    explainUnknownRelation(request) ??
    explainMissingState(request) ?? {
      rule: 'hidden',
      because: `the resource in the path does not exist, or ${nameOf(caller)} lacks the right to do this: the reply is 404 in both cases`,
      change: "Send an owner's token, or look up the names in the path",
      spec,
    }
  )
}

/**
 * Returns the path prefix of an operation: the API's prefix, or an empty string for operations
 * outside the API.
 */
function apiPrefixOf({ path }: PlatformOperation, requestPath: string): string {
  const prefixes = operationsByPrefix.map(({ prefix }) => prefix)
  const prefix = prefixes.find((each) => requestPath.startsWith(each)) ?? ''
  return path.startsWith(prefix) ? '' : prefix
}

function nameOf(caller: Caller | undefined): string {
  return caller === undefined ? 'callers without a token' : caller.user.username
}

/**
 * Explains a 404 for an object that exists, but on which the caller lacks the right that the
 * refusal names. Returns undefined without a caller, or if the refusal names no organization or
 * workspace.
 */
function missingRight(
  { refusal }: ExplainedRequest,
  caller: Caller | undefined,
): Diagnosis | undefined {
  const { workspace, organization, right } = { ...refusal?.details }
  if (caller === undefined) return undefined
  if (organization !== undefined) {
    const isToken = isOrganizationToken(caller, String(organization))
    return {
      rule: 'organization-right-missing',
      because: isToken
        ? `the token of the organization ${organization} lacks the right "${right}", so the path is hidden (404)`
        : `${caller.user.username} lacks the right "${right}" in ${organization}, so the path is hidden (404)`,
      change: `Send the token of an owner, or of a team with ${right}`,
      spec,
    }
  }
  if (workspace === undefined) return undefined
  return {
    rule: 'workspace-right-missing',
    because: `the workspace ${workspace} exists, but ${caller.user.username} lacks the right "${right}" on it, so the workspace is hidden (404)`,
    change: 'Send the token of an owner or of a team with manage-workspaces',
    spec: 'behaviour/platform#workspace-rights',
  }
}

function explainUnknownOrganization(
  { world, path }: ExplainedRequest,
  params: Readonly<Record<string, string>>,
  caller: Caller | undefined,
): Diagnosis | undefined {
  const { organization_name: name } = params
  if (name === undefined) return undefined
  if (!world.table(organizations).has(name)) {
    const known = [...world.table(organizations).rows()].map((row) => row.name)
    return explainUnknownResource('organization', name, closestName(name, known), path, ' ')
  }
  if (caller === undefined || isMember(world, caller, name)) return undefined
  return {
    rule: 'hidden',
    because: `the organization ${name} exists, but ${caller.user.username} is not a member, so the organization is hidden (404)`,
    change: `Send a token of a member of ${name}`,
    spec,
  }
}

/**
 * Explains a 404 for an unknown workspace name, or for an unknown namespace, name or provider of a
 * module. Returns undefined for other paths, and if the names are known.
 */
function explainUnknownName(
  { world, path, operation }: ExplainedRequest,
  params: Readonly<Record<string, string>>,
): Diagnosis | undefined {
  const { organization_name: organization = '', namespace, name, provider } = params
  if (name === undefined) return undefined
  if (operation?.path.includes('/workspaces/:name') === true) {
    const known = [...world.table(workspaces).rows(`${organization}/`)].map((row) => row.name)
    if (known.includes(name)) return undefined
    return explainUnknownResource(
      'workspace',
      name,
      closestName(name, known),
      path,
      ` of ${organization}`,
    )
  }
  if (operation?.path.includes('registry-modules') !== true) return undefined
  const known = [...world.table(modules).rows()]
  const rowsInOrganization = known.filter((row) => row.organization === organization)
  if (namespace !== undefined && namespace !== organization && path.includes('/private/')) {
    return {
      ...explainUnknownResource('namespace', namespace, organization, path, ` of ${organization}`),
      because: `the namespace of a private module is its organization: ${organization}, not ${namespace}`,
    }
  }
  const rowsWithSameName = rowsInOrganization.filter((row) => row.name === name)
  const [other] = rowsWithSameName
  if (other === undefined) {
    const similar = closestName(name, [...new Set(rowsInOrganization.map((row) => row.name))])
    return explainUnknownResource('module', name, similar, path, ` of ${organization}`)
  }
  if (provider === undefined || rowsWithSameName.some((row) => row.provider === provider))
    return undefined
  return explainUnknownResource(
    'provider',
    provider,
    other.provider,
    path,
    ` of the module ${name}`,
  )
}

function explainUnknownId({ world }: ExplainedRequest, params: Readonly<Record<string, string>>) {
  for (const { noun, parameter, prefix, find } of kinds) {
    const id = params[parameter ?? `${noun.toLowerCase().replace(/[ -]/g, '_')}_id`]
    if (id === undefined) continue
    if (!id.startsWith(prefix)) {
      const other = kinds.find((kind) => id.startsWith(kind.prefix))
      return {
        rule: 'wrong-kind-of-id',
        because: `the path must have the id of a ${noun}, which begins with ${prefix}, but ${id} is ${other === undefined ? 'not such an id' : `the id of a ${other.noun}`}`,
        change: `Send the id of a ${noun}`,
        spec: 'behaviour/platform#ids',
      }
    }
    if (find(world, id) !== undefined) continue
    return {
      rule: `${noun.replaceAll(' ', '-')}-unknown`,
      because: `there is no ${noun} ${id}`,
      change: `Create the ${noun} first, or look up its id`,
      spec,
    }
  }
  return undefined
}

/**
 * Explains a 404 for an id in the relationships or in the list `data` of the body; undefined if all
 * ids exist.
 */
function explainUnknownRelation({ world, body }: ExplainedRequest): Diagnosis | undefined {
  const relationships = Object(Object(Object(body)['data'])['relationships'])
  const listed = Object(body)['data']
  const related = Object.values<unknown>(relationships).flatMap((one) => Object(one)['data'])
  for (const item of Array.isArray(listed) ? listed : related) {
    const id: unknown = Object(item)['id']
    if (typeof id !== 'string') continue
    const kind = kinds.find(({ prefix }) => id.startsWith(prefix))
    if (kind !== undefined && kind.find(world, id) !== undefined) continue
    return {
      rule: 'related-unknown',
      because: `the body has the id ${id}, but no such ${kind?.noun ?? 'resource'} exists`,
      change: 'Send the id of an existing resource',
      spec,
    }
  }
  return undefined
}

function explainUnknownResource(
  noun: string,
  name: string,
  similar: string | undefined,
  path: string,
  location: string,
): Diagnosis {
  const rule = `${noun}-unknown`
  const because = `there is no ${noun} ${name}${location.trimEnd()}`
  if (similar === undefined)
    return { rule, because, change: `Create the ${noun} ${name} first`, spec }
  return {
    rule,
    because: `${because}; the closest name is ${similar}`,
    change: `Use ${similar}`,
    request: { path: path.replace(`/${name}`, `/${similar}`) },
    spec,
  }
}
