import { modulesUnder, moduleWithId } from '../../../state/platform/modules/modules.ts'
import { noCodeRows } from '../../../state/platform/no-code/no-code-modules.ts'
import { policySetWithId } from '../../../state/platform/policies/policy-sets.ts'
import { resultWithId } from '../../../state/platform/run-tasks/stages.ts'
import { tasksOf } from '../../../state/platform/run-tasks/tasks.ts'
import { runTriggersOf } from '../../../state/platform/run-triggers/run-triggers.ts'
import { workspaceWithId } from '../../../state/platform/workspaces/workspaces.ts'
import type { Amendment } from '../../http/journal-hooks/api-explanations.ts'
import { type Diagnose, documentTo, idAfter, relatedId } from './workspaces.ts'

/** Returns an amendment that adds a relationship to the body. */
function withRelation(name: string, type: string, id: string): Amendment {
  return {
    body: (sent) => {
      const data = Object(Object(sent)['data'])
      const relationships = { ...data['relationships'], [name]: { data: { type, id } } }
      return { data: { ...data, relationships } }
    },
  }
}

/** Returns a request that reads a path below the prefix of the API. */
function readAmendment(path: string): Amendment {
  return { method: 'GET', path: `/api/v2/${path}`, body: () => undefined }
}

/** Explains why a task cannot be attached to a workspace: the body names no task. */
const explainMissingTask: Diagnose = (request) => {
  const workspace = workspaceWithId(request.world, idAfter(request, 'workspaces') ?? '')
  const [first] = tasksOf(request.world, workspace?.organization ?? '')
  return {
    because: 'the body has no task in "relationships" of "data"',
    change: 'Send relationships.task.data with the type tasks and an id',
    request: withRelation('task', 'tasks', first?.id ?? 'task-…'),
    spec: 'behaviour/platform#run-tasks',
  }
}

/** Explains why a report about a task is refused: the result of the task is final. */
const explainFinalResult: Diagnose = (request) => {
  const result = resultWithId(request.world, idAfter(request, 'task-results') ?? '')
  if (result === undefined) return undefined
  return {
    because: `the result ${result.id} of the task ${result.task_name} is ${result.status}, which is final: no report changes it`,
    change: 'Start another run, which creates a new task result',
    spec: 'behaviour/platform#task-stages',
  }
}

/**
 * Explains why a workspace cannot have another trigger: it has the maximum number of run triggers.
 */
const explainTooManyTriggers: Diagnose = (request) => {
  const id = idAfter(request, 'workspaces') ?? ''
  const [oldest] = runTriggersOf(request.world, id, 'inbound')
  return {
    because: `${id} has 20 run triggers, the maximum for a workspace`,
    change: 'Delete another trigger first',
    request: {
      method: 'DELETE',
      path: `/api/v2/run-triggers/${oldest?.id ?? 'rt-…'}`,
      body: () => undefined,
    },
    spec: 'behaviour/platform#run-triggers',
  }
}

/** Explains why triggers cannot be listed: the query does not name their direction. */
const explainMissingDirection: Diagnose = ({ query }) => ({
  because: `filter[run-trigger][type] is ${JSON.stringify(query['filter[run-trigger][type]'] ?? null)}; it must be inbound or outbound`,
  change: 'Request inbound or outbound triggers',
  request: { query: { 'filter[run-trigger][type]': 'inbound' } },
  spec: 'behaviour/platform#run-triggers',
})

/** Explains why nothing can be attached to a global policy set. */
const explainGlobalPolicySet: Diagnose = (request) => {
  const id = idAfter(request, 'policy-sets') ?? ''
  return {
    because: `the policy set ${policySetWithId(request.world, id)?.name ?? id} is global: it applies to all workspaces, so none can be attached to it`,
    change: 'Set global to false first',
    request: documentTo('PATCH', `policy-sets/${id}`, 'policy-sets', {
      attributes: { global: false },
    }),
    spec: 'behaviour/platform#policy-sets',
  }
}

/** Explains why an id cannot be in a policy set: the organization of the set has no such object. */
const explainUnknownPolicySetMember: Diagnose = (request) => ({
  because: `the body has the id ${String(request.refusal?.params['id'])}, which does not exist in the organization of the policy set`,
  change: 'Send ids that exist in the organization; read the policy set to find them',
  request: readAmendment(`policy-sets/${idAfter(request, 'policy-sets') ?? ''}`),
  spec: 'behaviour/platform#policy-sets',
})

/**
 * Explains why an operation on the versions of a public provider is refused: the versions belong to
 * another organization.
 */
const explainPublicProvider: Diagnose = (request) => ({
  because: 'the provider in the path is public, and its versions belong to its namespace',
  change: 'Use a private provider',
  request: readAmendment(
    `organizations/${idAfter(request, 'organizations') ?? ''}/registry-providers`,
  ),
  spec: 'behaviour/platform#registry-providers',
})

/** Explains why owners cannot end their own membership. */
const explainOwnerMembership: Diagnose = ({ caller }) => ({
  because: `${Object(caller)?.user?.username ?? 'the caller'} is an owner of the organization, and owners cannot delete their own membership`,
  change:
    'Leave the team owners first, or let another owner delete the membership; the request lists your memberships',
  request: readAmendment('organization-memberships'),
  spec: 'behaviour/platform#memberships',
})

/** Explains why a no-code module is refused: the body does not name its registry module. */
const explainMissingRegistryModule: Diagnose = (request) => {
  const organization = idAfter(request, 'organizations') ?? ''
  const [first] = modulesUnder(request.world, organization, 'private')
  return {
    because: 'the body has no module in "relationships" of "data"',
    change: 'Send relationships.registry-module.data with the id of a private module',
    request: withRelation('registry-module', 'registry-modules', first?.id ?? 'mod-…'),
    spec: 'behaviour/platform#no-code-modules',
  }
}

/**
 * Returns the registry module that the body names, otherwise the registry module of the no-code
 * module in the path.
 */
const moduleOf: (request: Parameters<Diagnose>[0]) => ReturnType<typeof moduleWithId> = (
  request,
) => {
  const noCode = noCodeRows.withId(request.world, idAfter(request, 'no-code-modules') ?? '')
  return moduleWithId(request.world, relatedId(request, 'registry-module') ?? noCode?.module ?? '')
}

/** Explains why a version cannot be pinned: the module has no such version. */
const explainUnknownPin: Diagnose = (request) => {
  const { name = '', versions = [] } = { ...moduleOf(request) }
  const known = versions.map(({ version }) => version).join(', ')
  return {
    because: `the module ${name} has ${known === '' ? 'no versions' : `the versions ${known}`}`,
    change: 'Pin one of its versions, or latest',
    request: {
      body: (sent) => {
        const data = Object(Object(sent)['data'])
        const attributes = { ...data['attributes'], 'version-pin': 'latest' }
        return { data: { ...data, attributes } }
      },
    },
    spec: 'behaviour/platform#no-code-modules',
  }
}

/** Explains why a disabled no-code module cannot be provisioned. */
const explainDisabledNoCode: Diagnose = (request) => {
  const id = idAfter(request, 'no-code-modules') ?? ''
  return {
    because: `the no-code module ${id} is not enabled`,
    change: 'Enable the no-code module',
    request: documentTo('PATCH', `no-code-modules/${id}`, 'no-code-modules', {
      attributes: { enabled: true },
    }),
    spec: 'behaviour/platform#no-code-workspaces',
  }
}

/** Explains why a module without an uploaded version cannot be provisioned. */
const explainNothingToProvision: Diagnose = (request) => ({
  because: `the module ${moduleOf(request)?.name ?? ''} has no version with an uploaded archive`,
  change: 'Upload the archive of a version, then read the module until its setup is complete',
  request: readAmendment(`registry-modules/${moduleOf(request)?.id ?? ''}`),
  spec: 'behaviour/platform#no-code-workspaces',
})

/** Explains why a version that is not deprecated cannot be revoked. */
const explainEarlyRevocation: Diagnose = () => ({
  because: 'the version is not deprecated, and only deprecated versions can be revoked',
  change: 'Deprecate the version first',
  request: {
    body: (sent) => ({
      data: {
        ...Object(Object(sent)['data']),
        attributes: { deprecation: { 'deprecated-status': 'Deprecated' } },
      },
    }),
  },
  spec: 'behaviour/platform#module-versions',
})

/**
 * Functions that explain refusals about tasks, triggers, policies, providers and no-code modules,
 * by rule.
 */
export const integrationDiagnoses: Readonly<Record<string, Diagnose>> = {
  'task-required': explainMissingTask,
  'task-result-final': explainFinalResult,
  'run-triggers-full': explainTooManyTriggers,
  'trigger-type-wrong': explainMissingDirection,
  'policy-set-global': explainGlobalPolicySet,
  'policy-set-member-unknown': explainUnknownPolicySetMember,
  'public-provider-versions': explainPublicProvider,
  'owner-stays-member': explainOwnerMembership,
  'registry-module-required': explainMissingRegistryModule,
  'version-pin-unknown': explainUnknownPin,
  'no-code-disabled': explainDisabledNoCode,
  'no-code-version-missing': explainNothingToProvision,
  'revocation-needs-deprecation': explainEarlyRevocation,
}
