import { agentPoolWithId } from '../../../state/platform/agents/agent-pools.ts'
import { workspacesUsing } from '../../../state/platform/agents/changes.ts'
import { versionWithId } from '../../../state/platform/configuration-versions/configuration-versions.ts'
import { defaultProject, projectWithId } from '../../../state/platform/projects/projects.ts'
import { runWithId } from '../../../state/platform/runs/runs.ts'
import { currentStateVersion } from '../../../state/platform/states/state-versions.ts'
import {
  type Workspace,
  workspaces,
  workspacesIn,
  workspacesOf,
  workspaceWithId,
} from '../../../state/platform/workspaces/workspaces.ts'
import type {
  Amendment,
  Diagnosis,
  ExplainedRequest,
} from '../../http/journal-hooks/api-explanations.ts'
import { mediaType } from '../json-api/resource.ts'

/** Function that explains a refusal; undefined if the request does not show the cause. */
export type Diagnose = (request: ExplainedRequest) => Diagnosis | undefined

const runsSpec = 'behaviour/platform#runs'

/** Returns the id that a relationship of the body names; undefined if there is no id. */
export function relatedId({ body }: ExplainedRequest, name: string): string | undefined {
  const related = Object(Object(Object(body)['data'])['relationships'])
  const member = related[name] ?? related[name.replaceAll('-', '_')]
  const id: unknown = Object(Object(member)['data'])['id']
  return typeof id === 'string' ? id : undefined
}

function attributesOf({ body }: ExplainedRequest): Readonly<Record<string, unknown>> {
  return Object(Object(Object(body)['data'])['attributes'])
}

/** Returns the id after a segment of the path; undefined if no id follows the segment. */
export function idAfter({ path }: ExplainedRequest, segment: string): string | undefined {
  return new RegExp(`/${segment}/([^/]+)`).exec(path)?.[1]
}

/** Returns the workspace that the body or the path of a request names, if it exists. */
function workspaceOf(request: ExplainedRequest): Workspace | undefined {
  const id = relatedId(request, 'workspace') ?? idAfter(request, 'workspaces') ?? ''
  return workspaceWithId(request.world, id)
}

/**
 * Returns a request that sends a JSON:API document.
 *
 * @param path path below `/api/v2/`
 * @param members members of the resource besides its type
 */
export function documentTo(
  method: string,
  path: string,
  type: string,
  members: object = {},
): Amendment {
  return {
    method,
    path: `/api/v2/${path}`,
    headers: { 'content-type': mediaType },
    body: () => ({ data: { type, ...members } }),
  }
}

/** Returns a request that changes attributes of a workspace. */
function changeOf({ id }: Workspace, attributes: object): Amendment {
  return documentTo('PATCH', `workspaces/${id}`, 'workspaces', { attributes })
}

/** Returns a request that creates a configuration version of a workspace. */
function newVersionOf(workspace: string): Amendment {
  return documentTo(
    'POST',
    `workspaces/${workspace}/configuration-versions`,
    'configuration-versions',
  )
}

/** Explains why a workspace without uploaded files cannot have a run. */
const explainMissingConfiguration: Diagnose = (request) => {
  const { id = '', name = '' } = { ...workspaceOf(request) }
  return {
    because: `Configuration version is missing: no configuration that runs can use was uploaded to the workspace ${name}`,
    change: 'Create a configuration version and upload files to it',
    request: newVersionOf(id),
    spec: runsSpec,
  }
}

/** Explains why a new run is refused: the execution mode of its workspace is `local`. */
const explainLocalExecution: Diagnose = (request) => {
  const workspace = workspaceOf(request)
  if (workspace === undefined) return undefined
  return {
    because: `the execution-mode of the workspace ${workspace.name} is local, so plans and applies run only on the client`,
    change: 'Set the execution-mode to remote',
    request: changeOf(workspace, { 'execution-mode': 'remote' }),
    spec: 'behaviour/platform#workspace-settings',
  }
}

/** Explains why a run is refused: the body names no workspace. */
const explainMissingWorkspace: Diagnose = ({ world }) => {
  const [first] = world.table(workspaces).rows()
  const related = { workspace: { data: { type: 'workspaces', id: first?.id ?? 'ws-…' } } }
  return {
    because: 'the body has no workspace in "relationships" of "data"',
    change: 'Send relationships.workspace.data with the type workspaces and an id',
    request: {
      body: (sent) => {
        const data = Object(Object(sent)['data'])
        return { data: { ...data, relationships: { ...data['relationships'], ...related } } }
      },
    },
    spec: runsSpec,
  }
}

/** Pairs of run attributes that exclude each other. The correction leaves out the second. */
const contradictions = [
  ['is-destroy', 'refresh-only'],
  ['plan-only', 'save-plan'],
] as const

/** Explains a run whose parameters contradict each other or its configuration version. */
const explainContradictoryRun: Diagnose = (request) => {
  const attributes = attributesOf(request)
  const found = contradictions.find((names) =>
    names.every((name) => (attributes[name] ?? attributes[name.replaceAll('-', '_')]) === true),
  )
  const id = relatedId(request, 'configuration-version') ?? ''
  const version = versionWithId(request.world, id)
  const because =
    found === undefined
      ? `the configuration version ${id} is ${version?.status ?? 'not usable by runs'}${version?.speculative === true ? ' and speculative, so its runs only plan' : ''}`
      : `"${found.join('" and "')}" are mutually exclusive`
  const unwantedAttributes: readonly string[] = found?.slice(1) ?? ['plan-only', 'save-plan']
  return {
    because,
    change: `Omit ${unwantedAttributes.join(' and ')}`,
    request: {
      body: (sent) => {
        const data = Object(Object(sent)['data'])
        const kept = Object.entries(Object(data['attributes'])).filter(
          ([name]) => !unwantedAttributes.includes(name.replaceAll('_', '-')),
        )
        return { data: { ...data, attributes: Object.fromEntries(kept) } }
      },
    },
    spec: runsSpec,
  }
}

/** Resources that the body of a new run names. */
const resourcesNamedInRuns = [
  { noun: 'workspace', prefix: 'ws-', find: workspaceWithId },
  { noun: 'configuration version', prefix: 'cv-', find: versionWithId },
] as const

/**
 * Explains a 404 for a new run: an unknown id in the body, or a workspace that must not be
 * destroyed. Returns undefined for other causes.
 */
export function explainRefusedRun(request: ExplainedRequest): Diagnosis | undefined {
  const { world, operation } = request
  if (operation?.id !== 'createRun') return undefined
  for (const { noun, prefix, find } of resourcesNamedInRuns) {
    const id = relatedId(request, noun.replaceAll(' ', '-'))
    if (id === undefined || find(world, id) !== undefined) continue
    const isOther = !id.startsWith(prefix)
    return {
      rule: isOther ? 'wrong-kind-of-id' : `${noun.replaceAll(' ', '-')}-unknown`,
      because: isOther
        ? `the body must have the id of a ${noun}, which begins with ${prefix}, but ${id} is not such an id`
        : `there is no ${noun} ${id}`,
      change: `Look up the id of the ${noun}`,
      spec: runsSpec,
    }
  }
  const workspace = workspaceOf(request)
  const attributes = attributesOf(request)
  const isDestroyRun = (attributes['is-destroy'] ?? attributes['is_destroy']) === true
  if (workspace === undefined || workspace.allow_destroy_plan || !isDestroyRun) return undefined
  return {
    rule: 'destroy-forbidden',
    because: `allow-destroy-plan of the workspace ${workspace.name} is false, so its destroy runs are hidden (404)`,
    change: 'Set allow-destroy-plan to true',
    request: changeOf(workspace, { 'allow-destroy-plan': true }),
    spec: runsSpec,
  }
}

/**
 * Explains a 404 for the current state of a workspace that exists. Returns undefined for a request
 * for anything else, and if the workspace has a state.
 */
export function explainMissingState(request: ExplainedRequest): Diagnosis | undefined {
  const { world, path } = request
  const workspace = workspaceOf(request)
  if (workspace === undefined || !/\/current-state-version(-outputs)?$/.test(path)) return undefined
  if (currentStateVersion(world, workspace.id) !== undefined) return undefined
  return {
    rule: 'state-missing',
    because: `the workspace ${workspace.name} has no state yet, so the reply is 404`,
    change: 'Lock the workspace and send a state, or apply a run',
    request: documentTo('POST', `workspaces/${workspace.id}/actions/lock`, 'workspaces'),
    spec: 'behaviour/platform#state-versions',
  }
}

/** Descriptions of the runs that allow an action, by action. Explanations contain these texts. */
const requiredStates: Readonly<Record<string, string>> = {
  apply: 'a run that waits for confirmation, such as one that is planned',
  discard: 'a run that waits, such as one that is planned',
  cancel: 'a run that has not ended',
  'force-cancel': 'a run that was canceled some time ago and has not ended',
  'force-execute': 'a pending run of a workspace that another run has locked',
}

/** Explains why an action on a run is refused: the run has the wrong status. */
const explainRefusedAction: Diagnose = (request) => {
  const { world, path } = request
  const run = runWithId(world, idAfter(request, 'runs') ?? '')
  const action = path.split('/').at(-1) ?? ''
  if (run === undefined || requiredStates[action] === undefined) return undefined
  return {
    because: `${action} requires ${requiredStates[action]}, but ${run.id} is ${run.status}`,
    change: 'Read the run: its "actions" show which actions are possible',
    request: { method: 'GET', path: `/api/v2/runs/${run.id}` },
    spec: 'behaviour/platform#run-actions',
  }
}

/** Explains a name in `include` that the operation does not know. */
const explainUnknownInclusion: Diagnose = ({ query, operation }) => {
  const names = Object(Object(operation?.query)['include'])['description']
  return {
    because: `include=${String(query['include'])} has a name that this resource cannot include${typeof names === 'string' ? `; ${names.toLowerCase()}` : ''}`,
    change: 'Omit include, or send other names',
    request: { query: { include: undefined } },
    spec: 'behaviour/platform#include',
  }
}

/** Explains why state versions cannot be listed: the query lacks a required filter. */
const explainMissingFilter: Diagnose = ({ world, query, refusal }) => {
  const organization = String(query['filter[organization][name]'] ?? '')
  const [first] =
    organization === '' ? world.table(workspaces).rows() : workspacesOf(world, organization)
  return {
    because: `the query has no ${String(refusal?.params['parameter'])}`,
    change: 'Send the names of the workspace and of its organization',
    request: {
      query: {
        'filter[organization][name]': first?.organization ?? (organization || 'organization'),
        'filter[workspace][name]': first?.name ?? 'name',
      },
    },
    spec: 'behaviour/platform#state-versions',
  }
}

/** Explains why a workspace that manages resources cannot be deleted safely. */
const explainManagedResources: Diagnose = (request) => {
  const { id = '', name = '' } = { ...workspaceOf(request) }
  return {
    because: `the state of the workspace ${name} has resources, which a safe deletion would orphan`,
    change: 'Destroy the resources with a run first, or force the deletion of the workspace',
    request: { method: 'DELETE', path: `/api/v2/workspaces/${id}`, body: () => undefined },
    spec: 'behaviour/platform#workspace-deletion',
  }
}

/** Explains why a global variable set cannot be assigned to workspaces or projects. */
const explainGlobalVariableSet: Diagnose = (request) => {
  const id = idAfter(request, 'varsets') ?? ''
  return {
    because: `the variable set ${id} is global: it applies to all workspaces`,
    change: 'Set "global" of the variable set to false',
    request: documentTo('PATCH', `varsets/${id}`, 'varsets', { attributes: { global: false } }),
    spec: 'behaviour/platform#variable-sets',
  }
}

/** Explains why an agent pool that workspaces use cannot be deleted. */
const explainPoolInUse: Diagnose = (request) => {
  const pool = agentPoolWithId(request.world, idAfter(request, 'agent-pools') ?? '')
  const workspacesUsingPool = pool === undefined ? [] : workspacesUsing(request.world, pool)
  const [first] = workspacesUsingPool
  if (first === undefined) return undefined
  return {
    because: `the pool ${pool?.name} is in use by ${workspacesUsingPool.map(({ name }) => name).join(', ')}`,
    change: 'Change the agent pool or the execution-mode of these workspaces',
    request: changeOf(first, { 'execution-mode': 'remote', 'agent-pool-id': null }),
    spec: 'behaviour/platform#agent-pools',
  }
}

/** Explains why the current configuration version of a workspace cannot be archived. */
const explainVersionInUse: Diagnose = (request) => {
  const version = versionWithId(request.world, idAfter(request, 'configuration-versions') ?? '')
  if (version === undefined) return undefined
  return {
    because: `${version.id} is the current configuration version of its workspace`,
    change: 'Upload a newer configuration version first',
    request: newVersionOf(version.module),
    spec: 'behaviour/platform#configuration-versions',
  }
}

/** Explains why a project that contains workspaces cannot be deleted. */
const explainProjectInUse: Diagnose = (request) => {
  const { world } = request
  const project = projectWithId(world, idAfter(request, 'projects') ?? '')
  const [first] = project === undefined ? [] : workspacesIn(world, project)
  if (project === undefined || first === undefined) return undefined
  const target = defaultProject(world, project.organization)
  const related = { project: { data: { type: 'projects', id: target?.id ?? '' } } }
  return {
    because: `the project ${project.name} contains workspaces, such as ${first.name}`,
    change: 'Move the workspaces to another project',
    request: documentTo('PATCH', `workspaces/${first.id}`, 'workspaces', {
      relationships: related,
    }),
    spec: 'behaviour/platform#projects',
  }
}

/** Functions that explain refusals about workspaces and runs, by rule. */
export const workspaceDiagnoses: Readonly<Record<string, Diagnose>> = {
  'configuration-missing': explainMissingConfiguration,
  'workspace-local': explainLocalExecution,
  'workspace-required': explainMissingWorkspace,
  'run-parameters-wrong': explainContradictoryRun,
  // Refusals of the state machines have no rule.
  '': explainRefusedAction,
  'force-execute-denied': explainRefusedAction,
  'include-unknown': explainUnknownInclusion,
  'filter-required': explainMissingFilter,
  'workspace-managing': explainManagedResources,
  'variable-set-global': explainGlobalVariableSet,
  'agent-pool-in-use': explainPoolInUse,
  'version-current': explainVersionInUse,
  'project-in-use': explainProjectInUse,
}
