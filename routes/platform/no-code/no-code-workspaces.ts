import { text } from '../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../state/kernel/shape/members.ts'
import { requireFound } from '../../../state/platform/messages.ts'
import { type NoCodeModule, noCodeRows } from '../../../state/platform/no-code/no-code-modules.ts'
import {
  createNoCodeWorkspace,
  requireNoCodeRun,
  startUpgrade,
} from '../../../state/platform/no-code/workspaces.ts'
import { actOnRun } from '../../../state/platform/runs/actions.ts'
import { type Run, runAttributes } from '../../../state/platform/runs/runs.ts'
import type { RequiredRight } from '../../../state/platform/workspaces/right-levels.ts'
import { hasWorkspaceRight } from '../../../state/platform/workspaces/rights.ts'
import { type Workspace, workspacePage } from '../../../state/platform/workspaces/workspaces.ts'
import { answer, ok } from '../../http/declare/operation.ts'
import { blankable, inState, optionalMembers } from '../json-api/attributes.ts'
import { relatedProject } from '../json-api/body.ts'
import { documentOf, type Resource, relationOf, resourceShape } from '../json-api/resource.ts'
import { operationsOn, type PlatformContext, type Scope } from '../operation.ts'
import { relatedVariables } from '../variables/variable-resource.ts'
import { findWorkspaceFor } from '../workspaces/scopes.ts'
import { workspaceInputAttributes } from '../workspaces/workspace-input.ts'
import { workspaceResource, workspaceShape } from '../workspaces/workspace-resource.ts'
import { findNoCodeModuleFor } from './no-code-modules.ts'

/** A workspace in the path that was made from the no-code module in the path. */
interface ProvisionedWorkspace {
  readonly noCode: NoCodeModule
  readonly workspace: Workspace
}

/**
 * Returns a function that finds the workspace in the path. The function throws 404 if the workspace
 * was not made from the no-code module, and the refusals of `findWorkspaceFor`.
 */
function findProvisionedFor(right: RequiredRight): (scope: Scope) => ProvisionedWorkspace {
  const findWorkspace = findWorkspaceFor(right)
  return (scope) => {
    const workspace = findWorkspace(scope)
    const id = scope.params['no_code_module_id']
    const noCode =
      workspace.no_code_module === id ? noCodeRows.withId(scope.world, id ?? '') : undefined
    return { noCode: requireFound(noCode), workspace }
  }
}

/**
 * Returns a function that finds the upgrade in the path. The function throws 404 for an unknown
 * upgrade, and the refusals of `findProvisionedFor`.
 */
function findUpgradeFor(
  right: RequiredRight,
): (scope: Scope) => { workspace: Workspace; run: Run } {
  const findProvisioned = findProvisionedFor(right)
  return (scope) => {
    const { workspace } = findProvisioned(scope)
    const run = requireNoCodeRun(scope.world, workspace, scope.params['upgrade_id'] ?? '')
    return { workspace, run }
  }
}

const upgradeType = 'workspace-upgrade'

/** Shape of an upgrade. An upgrade has the id of its run. */
const upgradeShape = resourceShape(
  upgradeType,
  struct({ status: runAttributes.status, 'plan-url': text }),
  { relationships: struct({ workspace: relationOf('workspaces') }) },
)

function upgradeResource(
  run: Run,
  workspace: Workspace,
  { origin }: PlatformContext<unknown>,
): Resource {
  const page = `${workspacePage(origin, workspace)}/runs/${run.id}`
  return {
    id: run.id,
    type: upgradeType,
    attributes: { status: run.status, 'plan-url': page },
    relationships: { workspace: { data: { id: workspace.id, type: 'workspaces' } } },
  }
}

const { name, description } = workspaceInputAttributes.fields
const workspaceInput = optionalMembers({
  name,
  description,
  'auto-apply': workspaceInputAttributes.fields['auto-apply'],
  'execution-mode': workspaceInputAttributes.fields['execution-mode'],
  'agent-pool-id': workspaceInputAttributes.fields['agent-pool-id'],
  'infra-version': workspaceInputAttributes.fields['infra-version'],
  'source-name': workspaceInputAttributes.fields['source-name'],
  'source-url': workspaceInputAttributes.fields['source-url'],
  message: blankable,
})
const messageInput = optionalMembers({ message: blankable })

const spec = 'behaviour/platform#no-code-workspaces'
const onProvisionableModule = operationsOn('caller', findNoCodeModuleFor('provision'), spec)
const onUpgradableWorkspace = operationsOn('caller', findProvisionedFor({ runs: 'plan' }), spec)
const onReadableUpgrade = operationsOn('caller', findUpgradeFor({ runs: 'read' }), spec)
const onConfirmableUpgrade = operationsOn('caller', findUpgradeFor({ runs: 'apply' }), spec)

const listPath = '/no-code-modules/:no_code_module_id/workspaces'
const upgradesPath = `${listPath}/:workspace_id/upgrade` as const

/**
 * Operations on workspaces that are made from no-code modules. The type of a body is not checked,
 * because the documentation uses `workspaces` and the product's client uses
 * `no-code-module-workspace`.
 */
export const noCodeWorkspaceOperations = [
  onProvisionableModule('POST', listPath, {
    id: 'createNoCodeWorkspace',
    summary: 'Create a workspace from a no-code module, with a run of the module.',
    body: { attributes: workspaceInput },
    failures: [404],
    reply: { 200: documentOf(workspaceShape) },
    run: ({ context, body }) => {
      const { world, caller, subject, origin } = context
      const { attributes, relationships } = body()
      const { message, ...settings } = attributes
      const project = relatedProject(relationships)
      const workspace = createNoCodeWorkspace(
        world,
        caller,
        subject,
        {
          workspace: { ...inState(settings), ...(project === undefined ? {} : { project }) },
          variables: relatedVariables(relationships, context) ?? [],
          message,
        },
        origin,
      )
      return ok({ data: workspaceResource(workspace, context) })
    },
  }),
  onUpgradableWorkspace('POST', upgradesPath, {
    id: 'createNoCodeUpgrade',
    summary:
      'Start the run that moves a workspace to the version that its no-code module provisions.',
    body: { attributes: messageInput, dataOptional: true },
    reply: { 200: documentOf(upgradeShape) },
    run: ({ context, body }) => {
      const { world, caller, subject, origin } = context
      const { noCode, workspace } = subject
      const { attributes, relationships } = body()
      const variables = relatedVariables(relationships, context) ?? []
      const mayApply = hasWorkspaceRight(world, caller, workspace, { runs: 'apply' })
      const input = { variables, message: attributes.message }
      const run = startUpgrade(world, caller, noCode, workspace, input, { mayApply, base: origin })
      return ok({ data: upgradeResource(run, workspace, context) })
    },
  }),
  onReadableUpgrade('GET', `${upgradesPath}/:upgrade_id`, {
    id: 'readNoCodeUpgrade',
    summary: 'Read the status of an upgrade.',
    reply: { 200: documentOf(upgradeShape) },
    run: ({ context }) => {
      const { run, workspace } = context.subject
      return ok({ data: upgradeResource(run, workspace, context) })
    },
  }),
  onConfirmableUpgrade('POST', `${upgradesPath}/:upgrade_id`, {
    id: 'confirmNoCodeUpgrade',
    summary: 'Apply the plan of an upgrade.',
    body: { attributes: messageInput, dataOptional: true },
    failures: [409],
    reply: { 202: null },
    run: ({ context: { world, caller, subject }, body }) => {
      const comment = body().attributes.message ?? undefined
      actOnRun(world, subject.run, 'apply', { actor: caller.user.id, comment })
      return answer(202, undefined)
    },
  }),
]
